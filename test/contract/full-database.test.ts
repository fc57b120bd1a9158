import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import { InventoryService, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { rpcName } from "../../packaging/generate/samples/requests.ts";
import { scopes } from "../../src/access/scopes.ts";
import { isRead } from "../../src/contract/annotations.ts";
import type { TestKey } from "../support/accounts.ts";
import { addSampleData, methods, requestOf } from "../support/operations.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { upload } from "../support/stock.ts";
import { type StoreKind, someTime, urlOfService, useRedis } from "../support/stores.ts";
import { bearer, failure, ownAccount, type Reply, useContract } from "./support.ts";

const operatorAccount = "cccccccccccc";
const otherAccount = "bbbbbbbbbbbb";

const redis = useRedis("--maxmemory-policy", "noeviction");

/** Stores in a Redis of this file, whose memory the tests fill. */
const fillable: StoreKind = {
  name: "redis",
  use() {
    const under = { stores: undefined as ReturnType<typeof openRedisStores> | undefined };
    const clock = { now: someTime };
    beforeEach(async () => {
      clock.now = someTime;
      await redis.client.config("SET", "maxmemory", "0");
      await redis.client.flushall();
      const url = await urlOfService(redis.client, redis.url);
      under.stores = openRedisStores(url, { now: () => clock.now });
      await under.stores.ready(5_000);
    });
    afterEach(() => under.stores?.close());
    return {
      clock,
      get stores() {
        if (!under.stores) throw new Error("use the stores only while a test runs");
        return under.stores;
      },
    };
  },
};

async function fill(): Promise<void> {
  await redis.client.config("SET", "maxmemory", "1");
  await expect(redis.client.set("more", "1")).rejects.toThrow("OOM");
}

/** Returns everything that is stored, other than what admission, usage and the audit trail count. */
async function stored(): Promise<unknown> {
  const keys = (await redis.client.keys("*")).sort();
  const own = keys.filter((key) => !/windows|:hour:|:day:|:top-|\{audit\}|\{address/.test(key));
  return Promise.all(own.map(async (key) => [key, await redis.client.dump(key)]));
}

describe("Redis is full", () => {
  const contract = useContract(fillable);
  let given: { readonly orderId: string; readonly otherKey: TestKey; readonly all: TestKey };

  beforeEach(async () => {
    const { stores } = contract.server;
    const all = await contract.newAccount(operatorAccount, { plan: "business" }, scopes);
    const otherKey = await contract.newAccount(otherAccount, { plan: "free" });
    const order = await stores.orders.place(ownAccount, { petId: 1n, quantity: 1 });
    if (order.kind !== "placed") throw new Error("the order was not placed");
    await stores.holds.put(ownAccount, "cart", {
      items: [{ petId: 1n, quantity: 2 }],
      ttlMs: 900_000,
    });
    given = { orderId: String(order.order.orderId), otherKey, all };
    // Marks the keys as used in this minute.
    await stores.admission.admitKey(operatorAccount, all.keyHash);
    await stores.admission.admitKey(ownAccount, contract.own.keyHash);
  });

  function ask(path: string, message: unknown, key = contract.own): Promise<Reply> {
    const isAdmin = path.startsWith(AdminService.typeName);
    return contract.call(path, message, { authorization: bearer(isAdmin ? given.all : key) });
  }

  /** Fills the memory. @returns the function that makes the sample request of a method */
  async function askWhenFull(method: DescMethod): Promise<() => Promise<Reply>> {
    const { stores } = contract.server;
    const { key, ...ids } = await addSampleData(stores, method);
    // Marks the key as used in this minute.
    await stores.admission.admitKey(ids.accountId, key.keyHash);
    await fill();
    return () => ask(rpcName(method), requestOf(method, ids), key);
  }

  const goesOn = new Set<DescMethod>();

  test.each(
    methods
      .filter(({ methodKind }) => methodKind === "unary")
      .map((method) => [rpcName(method), method] as const),
  )("%s goes on, or is refused with nothing half made", async (_, method) => {
    const ask = await askWhenFull(method);
    const before = await stored();
    const reply = await ask();
    if (reply.status === 200 || isRead(method)) {
      expect([reply.status, reply.body]).toEqual([200, expect.any(String)]);
      goesOn.add(method);
      return;
    }
    const { "retry-after": wait, "x-change-outcome": outcome } = reply.headers;
    expect([reply.status, wait, outcome]).toEqual([503, "30", "unchanged"]);
    const { code, message, details } = JSON.parse(reply.body);
    expect([code, message]).toEqual([
      "unavailable",
      expect.stringMatching(/^The database is full.*Nothing was changed/),
    ]);
    expect(Buffer.from(details[0].value, "base64").toString()).toContain("STORE_FULL");
    expect(await stored()).toEqual(before);
    await redis.client.config("SET", "maxmemory", "0");
    expect((await ask()).status).toBe(200);
  });

  test("docs/operator/troubleshooting.md lists the changes that go on", async () => {
    const path = join(import.meta.dirname, "../../docs/operator/troubleshooting.md");
    const page = readFileSync(path, "utf8");
    const head = "| Service | Changes that go on |\n| --- | --- |\n";
    expect(page).toContain(head);
    const changes = [...goesOn].filter((method) => !isRead(method));
    const rows = [...Map.groupBy(changes, ({ parent }) => parent)].map(([service, own]) => {
      const names = own.map(({ name }) => `\`${name}\``).join(", ");
      return `| \`${service.name}\` | ${names} |\n`;
    });
    const [before = "", after = ""] = page.split(head);
    const rest = after.replace(/^(?:\|.*\n)*/, "");
    await expect(before + head + rows.join("") + rest).toMatchFileSnapshot(path);
  });

  test("a watch goes on, and sends a cancelled order", async () => {
    await fill();
    const watch = contract.client(InventoryService, contract.own).watchInventory({});
    const events = watch[Symbol.asyncIterator]();
    for (;;) {
      const { value } = await events.next();
      if (value?.event.case === "ready") break;
    }
    const { orderId } = given;
    const cancelled = await ask("store.v1.StoreService/CancelOrder", { orderId });
    expect(cancelled.status).toBe(200);
    const { value } = await events.next();
    expect(value?.event).toMatchObject({ case: "change", value: { petId: 1n, quantityAfter: 10 } });
    await events.return?.(undefined);
  });

  test("an import is refused, and nothing is half made", async () => {
    const { all } = given;
    const catalog = contract.client(CatalogService, all);
    await fill();
    const before = await stored();
    const pets = [{ petId: 7n, quantity: 1, status: PetStatus.AVAILABLE }];
    const error = await failure(catalog.importPets(upload({ pets })));
    expect(error.message).toContain("The database is full");
    expect(await stored()).toEqual(before);
  });

  test("a stored outcome is returned, and 404 and 409 stay what they are", async () => {
    const headers = { "idempotency-key": "one", "content-type": "application/json" };
    const adjust = (petId: number) =>
      contract.send(`POST /v1/inventory/${petId}:adjust`, { headers, body: '{"delta":1}' });
    const first = await adjust(1);
    expect(first.status).toBe(200);
    await fill();
    expect(await adjust(1)).toMatchObject({ status: 200, body: first.body });
    const plain = { headers: { "content-type": "application/json" } };
    const unknown = await contract.send("PATCH /v1/inventory/404", {
      ...plain,
      body: '{"quantity":1}',
    });
    expect(unknown.status).toBe(404);
    const short = await contract.send("POST /v1/store/orders", {
      ...plain,
      body: '{"petId":1,"quantity":1000}',
    });
    expect([short.status, short.headers["x-error-reason"]]).toEqual([409, "STOCK_TOO_SMALL"]);
  });

  test("due holds end, and account for their units", async () => {
    await fill();
    contract.server.clock.now += 900_000;
    while (await contract.server.stores.holds.sweep("test"));
    expect((await contract.server.stores.inventory.get(1n))?.quantity).toBe(11);
  });

  test("admission admits exactly the limit, for an account without counters too", async () => {
    const fresh = await contract.newAccount("eeeeeeeeeeee", { plan: "free" });
    await fill();
    const { admission } = contract.server.stores;
    const decide = () => admission.admitKey("eeeeeeeeeeee", fresh.keyHash);
    const verdicts = await Promise.all(Array.from({ length: 100 }, decide));
    const admitted = verdicts.filter(({ verdict }) => verdict === "admitted");
    expect([admitted.length, verdicts.length]).toEqual([60, 100]);
    // Its bucket, and the limits of a client without a key, are new too.
    contract.server.clock.now += 1_000;
    expect((await decide()).verdict).toBe("limited");
    const unknown = await contract.send("GET /v1/inventory", { authorization: null });
    expect(unknown.status).toBe(401);
  });

  test("a ban begins, can be listed and is lifted", async () => {
    await fill();
    const { admission } = contract.server.stores;
    const spend = () => admission.admitKey(otherAccount, given.otherKey.keyHash);
    const verdicts = [];
    for (let at = 0; at < 130; at++) verdicts.push((await spend()).verdict);
    expect(verdicts.filter((verdict) => verdict === "admitted").length).toBe(60);
    expect(verdicts.at(-1)).toBe("banned");
    const bans = [{ keyId: given.otherKey.keyId, since: someTime, until: someTime + 60_000 }];
    await contract.server.stores.usage.add({ counts: [], bans });
    const listed = await ask("admin.v1.AdminService/ListBans", {});
    expect(listed.body).toContain(given.otherKey.keyId);
    const lifted = await ask("admin.v1.AdminService/UnbanKey", { keyId: given.otherKey.keyId });
    expect(lifted.status).toBe(200);
    expect((await spend()).verdict).not.toBe("banned");
  });

  test("a revoked key, a disabled and a deleted account are refused at once", async () => {
    await fill();
    const get = () => contract.send("GET /v1/inventory", { authorization: bearer(given.otherKey) });
    expect((await get()).status).toBe(200);
    await ask("admin.v1.AdminService/DisableAccount", { accountId: otherAccount });
    expect((await get()).status).toBe(403);
    await ask("admin.v1.AdminService/EnableAccount", { accountId: otherAccount });
    expect((await get()).status).toBe(200);
    await ask("admin.v1.AdminService/RevokeKey", { keyId: given.otherKey.keyId });
    expect((await get()).status).toBe(401);
    await ask("admin.v1.AdminService/DeleteAccount", { accountId: ownAccount });
    expect((await contract.send("GET /v1/inventory")).status).toBe(401);
    expect(await redis.client.keys(`*${ownAccount}*`)).toEqual([
      `inv:{stock}:deleted-account:${ownAccount}`,
    ]);
  });

  test("the process stays ready", async () => {
    await fill();
    expect((await contract.send("GET /readyz", { authorization: null })).status).toBe(200);
    await contract.server.stores.ping();
  });
});
