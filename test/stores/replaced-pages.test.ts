import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { readSnapshot } from "../../src/services/watch/snapshot.ts";
import { createSnapshotPages } from "../../src/services/watch/snapshot-pages.ts";
import { changesBetween, type InventoryStore } from "../../src/stores/inventory-store.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { createWholeListReader } from "../../src/stores/redis/stock/whole-list.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { nthVersion, someTime } from "../support/stores.ts";

const status = PetStatus.AVAILABLE;
const pets = Array.from({ length: 2_500 }, (_, index) => BigInt(index + 1));

/** Makes a stock with pets, and with further changes some milliseconds later. */
async function stockAfter(
  passes: number,
  changes: (stores: Stores) => Promise<unknown>,
): Promise<InventoryStore> {
  let now = someTime;
  const stores = createMemoryStores(() => now);
  await stores.catalog.put(pets.map((petId) => ({ petId, quantity: 1, status })));
  now += passes;
  await changes(stores);
  return stores.inventory;
}

/** A stock that fails. */
const failing: Pick<InventoryStore, "page" | "changesSince"> = {
  page: () => Promise.reject(new Error("no page")),
  changesSince: () => Promise.reject(new Error("no changes")),
};

/** Uses another stock for each page, and the last one from then on, like a Redis that loses changes. */
function inTurn(first: InventoryStore, ...others: readonly (typeof failing)[]): InventoryStore {
  let current: typeof failing = first;
  const rest = [first, ...others];
  return {
    ...first,
    page: (after, limit) => {
      current = rest.shift() ?? current;
      return current.page(after, limit);
    },
    changesSince: (version, limit) => current.changesSince(version, limit),
  };
}

describe("pages of a stock that loses changes between them", () => {
  const restored = stockAfter(0, async () => {});
  const change = { petId: 1_500n, quantity: 7 };
  const lost = stockAfter(1_000, ({ inventory }) => inventory.change(change));
  const other = stockAfter(2_000, async ({ catalog, inventory }) => {
    await inventory.change({ petId: 3n, quantity: 8 });
    await catalog.remove(4n);
  });

  test("do not become one list when the last page has the version of the first", async () => {
    const store = inTurn(await restored, await lost, await restored);
    const list = await createWholeListReader(store.page, store.changesSince)();
    expect(list).toEqual(await (await restored).list());
  });

  test("do not become one list when other changes were made in the meantime", async () => {
    const store = inTurn(await restored, await lost, await other);
    const list = await createWholeListReader(store.page, store.changesSince)();
    expect(list).toEqual(await (await other).list());
  });

  test.each(["restored", "changed otherwise"])(
    "are not continued after a failure when the stock was %s",
    async (kind) => {
      const last = await (kind === "restored" ? restored : other);
      const store = inTurn(await lost, failing, last);
      const read = createWholeListReader(store.page, store.changesSince);
      await expect(read()).rejects.toThrow("no page");
      expect(await read()).toEqual(await last.list());
    },
  );

  test("are continued after a failure when the stock was only changed", async () => {
    const store = inTurn(await restored, failing, await lost);
    let pages = 0;
    const page: InventoryStore["page"] = (after, limit) => {
      pages += 1;
      return store.page(after, limit);
    };
    const read = createWholeListReader(page, store.changesSince);
    await expect(read()).rejects.toThrow("no page");
    expect(await read()).toEqual(await (await lost).list());
    // One of three pages failed.
    expect(pages).toBe(4);
  });

  test.each(["restored", "changed otherwise"])(
    "end a snapshot when the stock was %s",
    async (kind) => {
      const last = await (kind === "restored" ? restored : other);
      const stock = inTurn(await restored, await lost, last);
      const snapshot = readSnapshot(createSnapshotPages(stock), async () => {});
      await expect(Array.fromAsync(snapshot)).rejects.toMatchObject({ code: Code.OutOfRange });
    },
  );

  test.each([
    ["up to a version between two changes", 2_500, 2_501],
    ["up to a version that is later than all", 2_499, 1_002_503],
    ["up to an earlier version", 2_500, 2_499],
  ])("have no changes between them: %s", async (_, from, to) => {
    const { changesSince } = await lost;
    const between = changesBetween(changesSince, nthVersion(from), nthVersion(to), 100);
    let next = await between.next();
    while (!next.done) next = await between.next();
    expect(next.value).toBe(false);
  });
});
