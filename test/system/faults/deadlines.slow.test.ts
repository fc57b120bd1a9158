import { Code } from "@connectrpc/connect";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { InventoryService, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { defaultScopes } from "../../../src/access/scopes.ts";
import { createApp } from "../../../src/app/app.ts";
import type { CallContext } from "../../../src/common/call-context.ts";
import { readConfig } from "../../../src/config/config.ts";
import { createLog } from "../../../src/observability/log/log.ts";
import type { NewKey } from "../../../src/stores/account-store.ts";
import { unknownOrigin } from "../../../src/stores/stock-change.ts";
import { rawProtocols } from "../../rpc/raw-protocols.ts";
import { addAccount, addKey, someKey } from "../../support/accounts.ts";
import { useRedis } from "../../support/stores.ts";
import { useRedisProxy } from "./redis-proxy.ts";
import { useStores } from "./stores.ts";

const redis = useRedis("--appendonly", "no");
const proxy = useRedisProxy();
beforeAll(() => {
  proxy.target = redis.server.port;
});
const base = useStores(redis, () => proxy.url);
const stores = () => base.stores;

const accountId = "aaaaaaaaaaaa";
const item = { petId: 1n, quantity: 1, status: PetStatus.SOLD };
const tooLate = { code: Code.DeadlineExceeded };

beforeEach(async () => {
  proxy.delayMs = 0;
  await redis.client.flushall();
  await stores().inventory.put([item, { ...item, petId: 2n }]);
  await addAccount(stores(), { plan: "business" }, accountId);
});

/** Blocks the event loop until a time of `performance.now()`. */
function busyUntil(time: number): void {
  while (performance.now() < time);
}

async function quantities(): Promise<number[]> {
  const { items } = await stores().inventory.page(undefined, 10);
  return items.map(({ quantity }) => quantity);
}

describe("a change whose deadline passes before it is sent to Redis is not made", () => {
  it("if the deadline passes in the same event-loop tick; other changes of the tick are made", async () => {
    const { inventory } = stores();
    const deadline = performance.now() + 5;
    const late = inventory.setQuantity(1n, 7, {}, { deadline });
    const inTime = inventory.setQuantity(2n, 8, {}, { deadline: deadline + 10_000 });
    const unlimited = inventory.setQuantity(2n, 20);
    const limited = inventory.setQuantity(1n, 9, {}, { deadline: deadline + 10_000 });
    const results = Promise.allSettled([late, inTime, unlimited, limited]);
    busyUntil(deadline);
    expect(await results).toEqual([
      { status: "rejected", reason: expect.objectContaining(tooLate) },
      { status: "fulfilled", value: expect.objectContaining({ kind: "changed" }) },
      { status: "fulfilled", value: expect.objectContaining({ kind: "changed" }) },
      { status: "fulfilled", value: expect.objectContaining({ kind: "changed" }) },
    ]);
    expect(await quantities()).toEqual([9, 20]);
  });

  it("if it passes while Redis reports an unknown script; changes with time left are made", async () => {
    const { inventory } = stores();
    await redis.client.script("FLUSH");
    proxy.delayMs = 60;
    const late = inventory.setQuantity(1n, 7, {}, { deadline: performance.now() + 30 });
    const inTime = inventory.setQuantity(2n, 8, {}, { deadline: performance.now() + 10_000 });
    const results = await Promise.allSettled([late, inTime]);
    proxy.delayMs = 0;
    expect(results).toEqual([
      { status: "rejected", reason: expect.objectContaining(tooLate) },
      { status: "fulfilled", value: expect.objectContaining({ kind: "changed" }) },
    ]);
    expect(await quantities()).toEqual([1, 8]);
  });

  const batch = [{ petId: 1n, quantity: 7 }];
  it.each<[string, (context: CallContext) => Promise<unknown>]>([
    ["set", (context) => stores().inventory.setQuantity(1n, 7, {}, context)],
    ["adjust", (context) => stores().inventory.adjust(1n, 7, {}, context)],
    ["batch", (context) => stores().inventory.setQuantities(batch, {}, context)],
    [
      "status",
      (context) => stores().inventory.setStatus(1n, PetStatus.PENDING, undefined, context),
    ],
    ["create", (context) => stores().inventory.create({ ...item, petId: 3n }, undefined, context)],
    [
      "import",
      (context) =>
        stores().inventory.put([{ ...item, quantity: 7 }], unknownOrigin, undefined, context),
    ],
    ["remove", (context) => stores().inventory.remove(1n, undefined, context)],
    ["place an order", (context) => stores().orders.place(accountId, 1n, 1, {}, context)],
    ["cancel an order", (context) => stores().orders.cancel(accountId, 1n, undefined, context)],
    ["advance an order", (context) => stores().orders.advance(accountId, 1n, 3, context)],
    ["set a plan", (context) => stores().accounts.setPlan(accountId, { plan: "free" }, context)],
    ["create a key", (context) => stores().accounts.createKey(accountId, newKey(), context)],
    ["revoke a key", (context) => stores().accounts.revokeKey(keyId(), context)],
    [
      "rotate a key",
      (context) => stores().accounts.rotateKey(keyId(), someKey(accountId), 0, context),
    ],
    ["unban a key", (context) => stores().accounts.unbanKey(keyId(), context)],
  ])("if it passes while Redis reports an unknown script: %s", async (_name, make) => {
    key.id = (await addKey(stores(), accountId)).keyId;
    await stores().orders.place(accountId, 2n, 1);
    await redis.client.script("FLUSH");
    const before = await contents();
    proxy.delayMs = 60;
    const made = make({ deadline: performance.now() + 30 });
    await expect(made).rejects.toMatchObject(tooLate);
    proxy.delayMs = 0;
    expect(await contents()).toEqual(before);
  });
});

/** Returns the values of a new key. */
function newKey(): NewKey {
  const { keyId, keyHash } = someKey(accountId);
  return { keyId, keyHash, name: "", scopes: defaultScopes, expiresAt: undefined };
}

const key = { id: "" };
const keyId = () => key.id;

/** The whole contents of Redis, by key. */
async function contents(): Promise<Record<string, string>> {
  const keys = (await redis.client.keys("*")).sort();
  const values = await Promise.all(keys.map((name) => redis.client.dumpBuffer(name)));
  return Object.fromEntries(keys.map((name, index) => [name, `${values[index]?.toString("hex")}`]));
}

describe("Redis stalls for 120 ms during admission", () => {
  const app: { port: number; stop?: () => Promise<void> } = { port: 0 };
  const secret = { authorization: "" };

  beforeEach(async () => {
    secret.authorization = `Bearer ${(await addKey(stores(), accountId, { scopes: defaultScopes })).secret}`;
    const config = readConfig({
      PORT: "0",
      LOG_LEVEL: "silent",
    });
    const server = createApp(config, stores(), createLog(config.logLevel));
    app.port = (await server.listen(config.port, config.host)).port;
    app.stop = () => server.drain(0);
  });
  afterEach(() => app.stop?.());

  it.each(rawProtocols)("a deadline of 20 ms by $name: nothing changes", async ({ call }) => {
    const message = { petId: 1n, update: { quantity: 7 } };
    const made = { ...secret, method: InventoryService.method.updateInventory, message };
    proxy.delayMs = 120;
    const { code } = await call(app.port, { ...made, timeoutMs: 20 });
    proxy.delayMs = 0;
    expect(code).toBe("deadline_exceeded");
    expect(await quantities()).toEqual([1, 1]);
    expect((await call(app.port, { ...made, timeoutMs: 10_000 })).code).toBe("ok");
    expect(await quantities()).toEqual([7, 1]);
  });
});
