import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { InventoryStore } from "../../../src/stores/inventory-store.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import type { StockChange } from "../../../src/stores/stock-change.ts";
import { readerOf, startWatches, upTo } from "./support.ts";

const pet = { petId: 1n, quantity: 1, status: PetStatus.AVAILABLE };

/** Watches of a stock that the test can replace. The change reader first finds nothing, then what the test passes. */
async function setUp() {
  const clock = { now: 1_000 };
  const newStock = () => createMemoryStores(() => clock.now);
  const own = { stores: newStock() };
  const passed = Promise.withResolvers<readonly StockChange[]>();
  const { watch } = await startWatches(
    ({ inventory }) => ({
      readChanges: readerOf(Promise.resolve([]), passed.promise),
      inventory: {
        ...inventory,
        page: (after, limit) => own.stores.inventory.page(after, limit),
        changesSince: (version, limit) => own.stores.inventory.changesSince(version, limit),
      } satisfies InventoryStore,
    }),
    { heartbeatMs: 10 },
  );
  return { clock, own, newStock, watch, pass: passed.resolve };
}

const expired = {
  code: Code.OutOfRange,
  message: expect.stringContaining("Watch again without a token"),
};

describe("a watch whose snapshot is newer than the change reader of its process", () => {
  test("continues when the reader has caught up", async () => {
    const { clock, own, watch, pass } = await setUp();
    const first = watch();
    await upTo("ready", first);
    clock.now += 1;
    await own.stores.catalog.create(pet);
    const second = watch();
    const { resumeToken } = await upTo("ready", second);
    expect((await upTo("heartbeat", second)).resumeToken).toBe(resumeToken);
    clock.now += 1;
    await own.stores.inventory.change({ petId: 1n, quantity: 5 });
    pass((await own.stores.inventory.changesSince(0n, 10))?.changes ?? []);
    const { event } = await upTo("change", second);
    expect(event.value).toMatchObject({ quantityAfter: 5 });
  });

  test("OUT_OF_RANGE if its changes were lost and nothing else has changed", async () => {
    const { own, newStock, watch } = await setUp();
    await upTo("ready", watch());
    await own.stores.catalog.create(pet);
    const second = watch();
    await upTo("ready", second);
    own.stores = newStock();
    await expect(upTo("change", second)).rejects.toMatchObject(expired);
  });

  test("OUT_OF_RANGE if the reader finds other changes in place of the lost ones", async () => {
    const { clock, own, newStock, watch, pass } = await setUp();
    await upTo("ready", watch());
    await own.stores.catalog.create(pet);
    const second = watch();
    await upTo("ready", second);
    const { catalog, inventory } = newStock();
    clock.now += 1;
    await catalog.create(pet);
    pass((await inventory.changesSince(0n, 10))?.changes ?? []);
    await expect(upTo("change", second)).rejects.toMatchObject(expired);
  });
});

test("OUT_OF_RANGE for a watch if the stock is older than the change reader of the process", async () => {
  const { own, newStock, watch } = await setUp();
  await own.stores.catalog.create(pet);
  await upTo("ready", watch());
  own.stores = newStock();
  await expect(upTo("ready", watch())).rejects.toMatchObject(expired);
});
