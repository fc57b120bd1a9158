import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ImportInventoryRequestSchema } from "../../gen/admin/v1/admin_pb.ts";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { importRows } from "../../src/services/admin/import-rows.ts";
import { constantTimeBudget } from "../../src/stores/redis/connection/time-budget.ts";
import { createRedisStores } from "../../src/stores/redis/stores.ts";
import { unknownOrigin } from "../../src/stores/stock-change.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { useRedis } from "../support/stores.ts";
import { faults } from "./faults.ts";
import { useMutant } from "./mutant.ts";

/** The functions of the service that faults change. */
interface Subject {
  readonly stores: Stores;
  readonly importRows: typeof importRows;
}

const account = "aaaaaaaaaaaa";
const [one, two, three] = [1n, 2n, 3n];
const units = 10;
/** Some faults show by chance, or in a race. One attempt in five or more shows them. */
const attempts = 100;

async function quantityOf({ inventory }: Stores, petId = one): Promise<number | undefined> {
  return (await inventory.get(petId))?.quantity;
}

/** Whether a promise for a boolean is false in one of many attempts. */
async function isEverWrong(attempt: (at: number) => Promise<boolean>): Promise<boolean> {
  for (let at = 0; at < attempts; at++) if (!(await attempt(at))) return true;
  return false;
}

/** For each fault: whether the subject behaves wrongly. Each pet has 10 units before. */
const isWrong: Readonly<Record<keyof typeof faults, (subject: Subject) => Promise<boolean>>> = {
  async "versions-not-compared"({ stores }) {
    await stores.inventory.setQuantity(one, 1, { conditions: { expectedVersions: [1n] } });
    return (await quantityOf(stores)) !== units;
  },
  async "quantities-not-compared"({ stores }) {
    await stores.inventory.setQuantity(one, 1, { conditions: { expectedQuantity: units + 1 } });
    return (await quantityOf(stores)) !== units;
  },
  async "adjusted-in-two-steps"({ stores }) {
    await Promise.all([1, 2].map((delta) => stores.inventory.adjust(one, delta)));
    return (await quantityOf(stores)) !== units + 3;
  },
  "list-of-several-times": ({ stores: { inventory } }) =>
    isEverWrong(async () => {
      const listing = inventory.list(performance.now());
      const deltas = [
        { petId: three, delta: -1 },
        { petId: one, delta: 1 },
      ];
      await inventory.adjustQuantities(deltas);
      const { items } = await listing;
      await inventory.adjustQuantities(
        deltas.map(({ petId, delta }) => ({ petId, delta: -delta })),
      );
      return items.reduce((sum, { quantity }) => sum + quantity, 0) === 3 * units;
    }),
  "list-kept-without-asking": ({ stores: { inventory } }) =>
    isEverWrong(async (at) => {
      await inventory.list(performance.now());
      await inventory.setQuantity(one, at);
      const { items } = await inventory.list(performance.now());
      return items.some(({ petId, quantity }) => petId === one && quantity === at);
    }),
  "message-applied-twice": ({ stores: { inventory }, importRows: rows }) =>
    isEverWrong(async (at) => {
      const { version } = await inventory.page(undefined, 1);
      async function* messages() {
        const items = [{ petId: one, quantity: at, status: PetStatus.AVAILABLE }];
        yield create(ImportInventoryRequestSchema, { items });
      }
      await rows(inventory, messages(), unknownOrigin, {});
      return ((await inventory.changesSince(version, 9))?.total ?? 0) <= 1;
    }),
  async "batch-in-two-steps"({ stores }) {
    await stores.inventory.setQuantities([
      { petId: one, quantity: 1 },
      { petId: two, quantity: 1, expectedQuantity: units + 1 },
    ]);
    return (await quantityOf(stores)) !== units;
  },
  async "refused-batch-applied-partly"({ stores }) {
    await stores.inventory.setQuantities([
      { petId: one, quantity: 1 },
      { petId: two, quantity: 1, expectedQuantity: units + 1 },
    ]);
    return (await quantityOf(stores)) !== units;
  },
  async "transfer-adds-without-taking"({ stores }) {
    const transfer = [
      { petId: one, delta: -1 },
      { petId: two, delta: 1 },
    ];
    await stores.inventory.adjustQuantities(transfer);
    return (await quantityOf(stores)) !== units - 1;
  },
  async "hold-takes-all-again"({ stores }) {
    for (const quantity of [2, 3]) {
      await stores.holds.put(account, "cart", [{ petId: one, quantity }], 60_000);
    }
    return (await quantityOf(stores)) !== units - 3;
  },
  async "hold-released-twice"({ stores }) {
    await stores.holds.put(account, "cart", [{ petId: one, quantity: 2 }], 60_000);
    for (let time = 0; time < 2; time++) await stores.holds.release(account, "cart");
    return (await quantityOf(stores)) !== units;
  },
  async "order-takes-nothing"({ stores }) {
    await stores.orders.place(account, one, 2);
    return (await quantityOf(stores)) !== units - 2;
  },
  async "order-given-back-twice"({ stores }) {
    const outcome = await stores.orders.place(account, one, 2);
    if (outcome.kind !== "placed") throw new Error(outcome.kind);
    for (let time = 0; time < 2; time++) {
      await stores.orders.cancel(account, outcome.order.orderId);
    }
    return (await quantityOf(stores)) !== units;
  },
  async "changed-after-its-deadline"({ stores }) {
    const context = { deadline: performance.now() - 1 };
    await stores.inventory.adjust(one, 1, {}, context).catch(() => {});
    return (await quantityOf(stores)) !== units;
  },
};

// The check itself takes minutes, and finds faults only if they still are ones.
describe.each(Object.entries(faults))("the injected fault %s", (name, patches) => {
  const redis = useRedis();
  const source = join(useMutant(patches), "..");

  /** Returns whether the service behaves wrongly. */
  async function behavesWrongly(
    createStores: typeof createRedisStores,
    rows: typeof importRows,
  ): Promise<boolean> {
    await redis.client.flushdb();
    const stores = createStores(redis.url, { timeBudget: constantTimeBudget(10_000) });
    try {
      await stores.ready(5_000);
      const item = { quantity: units, status: PetStatus.AVAILABLE };
      await stores.inventory.put([one, two, three].map((petId) => ({ ...item, petId })));
      const check = isWrong[name];
      if (!check) throw new Error(`no behavior is known for the fault ${name}`);
      return await check({ stores, importRows: rows });
    } finally {
      await stores.close();
    }
  }

  test("changes what the service does", async () => {
    const mutant = await import(join(source, "stores/redis/stores.ts"));
    const { importRows: rows } = await import(join(source, "services/admin/import-rows.ts"));
    expect(await behavesWrongly(createRedisStores, importRows)).toBe(false);
    expect(await behavesWrongly(mutant.createRedisStores, rows)).toBe(true);
  });
});
