import { beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { HoldState, OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { createDataReader, type DataReader } from "../../src/backup/read-data.ts";
import { parseHold, parseOrder } from "../../src/backup/records.ts";
import type { Connection } from "../../src/stores/redis/connection/connection.ts";
import {
  catalogChangesKey,
  newestChangeKey,
  ordersKey,
  stockChangesKey,
} from "../../src/stores/redis/keys.ts";
import { addAccount } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";
import { useData, wholeSnapshot } from "./snapshots.ts";

const { ACTIVE, CONFIRMED, RELEASED, EXPIRED } = HoldState;
const redis = useRedis("--appendonly", "no");
const { stores, connection } = useData(redis);
const alice = "aaaaaaaaaaaa";
const bob = "bbbbbbbbbbbb";
const carol = "cccccccccccc";
const ttlMs = 3_600_000;

beforeEach(async () => {
  await redis.client.flushall();
  await addAccount(stores(), { plan: "free" }, alice);
  await addAccount(stores(), { plan: "free" }, bob);
  await stores().catalog.put(
    [1n, 2n].map((petId) => ({ petId, quantity: 50, status: PetStatus.AVAILABLE })),
  );
  for (const id of ["confirmed", "released", "replaced", "active"]) await put(id, 1);
  await stores().holds.put(alice, "due", { items: [{ petId: 1n, quantity: 5 }], ttlMs: 1 });
});

function put(holdId: string, quantity: number) {
  const items = [1n, 2n].map((petId) => ({ petId, quantity }));
  return stores().holds.put(alice, holdId, { items, ttlMs });
}

/** Changes a hold in each way, and one of the orders. */
async function changeAll(): Promise<void> {
  const { holds, orders } = stores();
  const outcome = await holds.confirm(alice, "confirmed");
  const [orderId = 0n] = outcome.kind === "held" ? outcome.hold.orderIds : [];
  await orders.cancel(alice, orderId);
  await orders.place(alice, { petId: 2n, quantity: 1, reference: "till 5" });
  await holds.release(alice, "released");
  await holds.release(alice, "replaced");
  await put("replaced", 3);
  await put("new", 2);
  await holds.sweep("a process");
  await put("gone", 2);
  const gone = [{ petId: 2n, quantity: 9 }];
  await holds.put(bob, "gone", { items: gone, ttlMs });
  await holds.deleteAll(bob);
  await addAccount(stores(), { plan: "free" }, carol);
  await holds.put(carol, "later", { items: [{ petId: 1n, quantity: 4 }], ttlMs });
}

/** A reader that makes changes after the first page of some data. */
function changingAfter(data: "items" | "orders" | "holds", connection: Connection): DataReader {
  const reader = createDataReader(connection);
  let isChanged = false;
  const change = async () => {
    if (!isChanged) await changeAll();
    isChanged = true;
  };
  return {
    ...reader,
    async *items() {
      for await (const page of reader.items()) {
        if (data === "items") await change();
        yield page;
      }
    },
    async *orders(accountIds) {
      yield* reader.orders(accountIds);
      if (data === "orders") await change();
    },
    async *holdFields() {
      for await (const page of reader.holdFields()) {
        if (data === "holds") await change();
        yield page;
      }
    },
  };
}

/** Reads a snapshot to its end. @returns the names of the holds that it has */
async function readAll(reader: DataReader): Promise<string[]> {
  const { found } = await wholeSnapshot(reader);
  return found.flatMap((record) => ("hold" in record ? [record.hold] : []));
}

test("a snapshot has each order once, if an account has more than a page", async () => {
  const orders = Array.from(
    { length: 1_001 },
    (_, at) => `${String(at + 1).padStart(19, "0")},1,1,1,1`,
  );
  await redis.client.zadd(ordersKey(bob), ...orders.flatMap((order) => [0, order]));
  const found: string[] = [];
  for await (const page of createDataReader(connection()).orders([bob])) {
    found.push(...page.map(({ order }) => order));
  }
  expect(found).toEqual(orders);
});

test("a snapshot has names of one version, although SKUs move between its pages, and pets come and go", async () => {
  const { catalog } = stores();
  await catalog.put(
    Array.from({ length: 600 }, (_, at) => ({
      ...{ petId: BigInt(at + 1), quantity: 1, status: PetStatus.AVAILABLE },
      ...{ name: `name ${at}`, sku: `${at}` },
    })),
  );
  const reader = createDataReader(connection());
  let moved = 0;
  const moving: DataReader = {
    ...reader,
    async *names() {
      for await (const page of reader.names()) {
        // One of these pets was read before, or is read later.
        const [first = 1n, second = 2n] = [page[0], page.at(-1)].map((each) =>
          BigInt(each?.named ?? 1),
        );
        const sku = `moved ${moved++}`;
        await catalog.update(first, { sku });
        yield page;
        await catalog.update(first, { sku: "" });
        await catalog.update(second, { sku });
        await catalog.update(600n, { sku: "", name: "" });
        await catalog.remove(599n);
        await catalog.create({
          ...{ petId: 9_000n + BigInt(moved), quantity: 1 },
          status: 1,
          sku: `new ${moved}`,
        });
      }
    },
  };
  const { found, problems } = await wholeSnapshot(moving);
  expect(problems).toEqual([]);
  expect(moved).toBeGreaterThan(1);
  const names = found.flatMap((record) =>
    "named" in record ? [[record.named, record.names]] : [],
  );
  const { entries } = await catalog.list();
  const expected = entries
    .filter(({ petId, sku, name }) => petId <= 600n && `${sku}${name}` !== "")
    .map(({ petId, sku, name }) => [String(petId), `${sku}\t${name}`]);
  expect(names.sort()).toEqual(expected.sort());
});

test("a snapshot has all names that change while it reads them, and no pet that was added after its items", async () => {
  const { catalog } = stores();
  const pets = (count: number, name: string) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ petId: BigInt(at + 1), quantity: 50, status: PetStatus.AVAILABLE, name },
    }));
  await catalog.put(pets(1_200, "before"));
  const reader = createDataReader(connection());
  const changing: DataReader = {
    ...reader,
    async catalogVersion() {
      await catalog.create({ petId: 9_000n, quantity: 1, status: 1, name: "late" });
      return reader.catalogVersion();
    },
    async *names() {
      yield* reader.names();
      await catalog.put(pets(1_200, "after"));
    },
  };
  const { found, problems } = await wholeSnapshot(changing);
  expect(problems).toEqual([]);
  const names = found.flatMap((record) => ("named" in record ? [record.names] : []));
  expect(names).toEqual(Array(1_200).fill("\tafter"));
});

test("a snapshot fails if changes of names are lost while it reads them", async () => {
  const reader = createDataReader(connection());
  const losing: DataReader = {
    ...reader,
    async *names() {
      await stores().catalog.update(1n, { name: "Rex" });
      await redis.client.del(catalogChangesKey);
      await stores().catalog.update(2n, { name: "Mia" });
      yield* [];
    },
  };
  await expect(readAll(losing)).rejects.toThrow("catalogue");
});

test("a snapshot does not wait for the end of holds that have ended before the clock was set back", async () => {
  const ahead = openRedisStores(redis.url, { now: () => Date.now() + 3_600_000 });
  await ahead.ready(5_000);
  const ids = Array.from({ length: 600 }, (_, at) => `ahead-${at}`);
  await stores().inventory.change({ petId: 1n, quantity: 1_000 });
  await Promise.all(
    ids.map((id) => ahead.holds.put(alice, id, { items: [{ petId: 1n, quantity: 1 }], ttlMs })),
  );
  await Promise.all(ids.map((id) => ahead.holds.release(alice, id)));
  await ahead.close();
  const holds = await readAll(createDataReader(connection()));
  expect(holds).toEqual(expect.arrayContaining(ids.map((id) => `${alice}/${id}`)));
});

test("a snapshot has all holds that are confirmed at its end, if one command cannot read them", async () => {
  const { inventory, holds } = stores();
  const reader = createDataReader(connection());
  const ids = Array.from({ length: 700 }, (_, at) => `late-${at}`);
  await inventory.change({ petId: 1n, quantity: 2_000 });
  await Promise.all(
    ids.map((id) => holds.put(alice, id, { items: [{ petId: 1n, quantity: 1 }], ttlMs })),
  );
  const late: DataReader = {
    ...reader,
    async *holdFields() {
      yield* reader.holdFields();
      await Promise.all(ids.map((id) => holds.confirm(alice, id)));
      const [seconds, micros] = await redis.client.time();
      // Holds that end in the millisecond of a read are read next time.
      await expect.poll(() => redis.client.time()).not.toEqual([seconds, micros]);
      yield [];
    },
  };
  const { found, problems } = await wholeSnapshot(late);
  expect(problems).toEqual([]);
  const confirmed = found.flatMap((record) => {
    const parts = "hold" in record && parseHold(record);
    return parts && parts.state === CONFIRMED ? [parts.holdId] : [];
  });
  expect(confirmed).toEqual(expect.arrayContaining(ids));
});

test("a snapshot fails if the clock goes back while it is read", async () => {
  const reader = createDataReader(connection());
  let pages = 0;
  const goingBack: DataReader = {
    ...reader,
    async changes(...args) {
      const page = await reader.changes(...args);
      pages += 1;
      return pages > 2 ? { ...page, endingNow: "t000000000000001" } : page;
    },
  };
  await expect(readAll(goingBack)).rejects.toThrow("The clock of Redis went back");
});

test("a snapshot fails if the stock is replaced without new entries of the history while it is read", async () => {
  const reader = createDataReader(connection());
  const replaced: DataReader = {
    ...reader,
    async *items() {
      // What a restore of a stock without a history leaves: a later version, and no entry.
      const [version, number] = String(await redis.client.get(newestChangeKey)).split("-");
      await redis.client.del(stockChangesKey);
      await redis.client.set(newestChangeKey, `${Number(version) + 5_000_000_000}-${number}`);
      yield* reader.items();
    },
  };
  await expect(readAll(replaced)).rejects.toThrow("The history was trimmed or replaced");
});

test("a snapshot has the audit trail as it was when its read began", async () => {
  const { audit } = stores();
  const before = ['{"at":1}', '{"at":2}'];
  for (const body of before) await audit.append(body);
  const reader = createDataReader(connection());
  let reads = 0;
  const growing: DataReader = {
    ...reader,
    async audit(...args) {
      const page = await reader.audit(...args);
      reads += 1;
      if (reads === 1) await audit.append('{"at":3}');
      return page;
    },
  };
  const { found, summary, problems } = await wholeSnapshot(growing);
  const bodies = found.flatMap((record) => ("audit" in record ? [record.body] : []));
  expect([bodies, problems]).toEqual([before, []]);
  expect(summary.counts).toMatchObject({ audit: 2 });
});

describe("a snapshot has the holds as they are at its version, if they change after the first page of", () => {
  test.each(["items", "orders", "holds"] as const)("%s", async (data) => {
    const { found, problems } = await wholeSnapshot(changingAfter(data, connection()));
    expect(problems).toEqual([]);
    const holds = found.flatMap((record) => {
      const parts = "hold" in record && parseHold(record);
      return parts ? [[parts.holdId, parts.state, parts.items[0]?.quantity]] : [];
    });
    expect(holds.sort()).toEqual([
      ["active", ACTIVE, 1],
      ["confirmed", CONFIRMED, 1],
      ["due", EXPIRED, 5],
      ["gone", ACTIVE, 2],
      ["later", ACTIVE, 4],
      ["new", ACTIVE, 2],
      ["released", RELEASED, 1],
      ["replaced", ACTIVE, 3],
    ]);
    const orders = found.flatMap((record) => {
      const parts = "order" in record && parseOrder(record.order);
      return parts ? [[parts.petId, parts.quantity, Number(parts.status), parts.reference]] : [];
    });
    expect(orders).toEqual([
      ["1", 1, OrderStatus.CANCELLED, "confirmed"],
      ["2", 1, OrderStatus.PLACED, "confirmed"],
      ["2", 1, OrderStatus.PLACED, "till 5"],
    ]);
  });
});
