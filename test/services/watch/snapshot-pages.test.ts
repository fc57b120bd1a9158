import { describe, expect, test } from "vitest";
import { PetStatus, type WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import { readSnapshot } from "../../../src/services/watch/snapshot.ts";
import { createSnapshotPages } from "../../../src/services/watch/snapshot-pages.ts";
import type { InventoryStore } from "../../../src/stores/inventory-store.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import { stockAfter } from "../../support/watch.ts";

const status = PetStatus.AVAILABLE;
const allow = async () => {};

/** A stock of some pets, and the snapshots of it. Counts the pages that are read, except reads of the version. */
async function setUp(pets: number, historyLength = 1_000_000) {
  const clock = { now: 0 };
  const history = { length: historyLength, ageMs: 3_600_000 };
  const { catalog, inventory } = createMemoryStores(() => 1_000 + clock.now, { history });
  for (let from = 1; from <= pets; from += 1_000) {
    const ids = Array.from({ length: Math.min(1_000, pets - from + 1) }, (_, n) => from + n);
    await catalog.put(ids.map((id) => ({ petId: BigInt(id), quantity: 1, status })));
  }
  const reads = { pages: 0, versions: 0, fails: false };
  const store: Pick<InventoryStore, "page" | "changesSince"> = {
    page: async (after, limit) => {
      if (reads.fails) throw new Error("down");
      if (limit === 1) reads.versions += 1;
      else reads.pages += 1;
      return inventory.page(after, limit);
    },
    changesSince: inventory.changesSince,
  };
  const pages = createSnapshotPages(store, () => clock.now);
  const read = (): Promise<WatchInventoryResponse[]> => Array.fromAsync(readSnapshot(pages, allow));
  return { clock, catalog, inventory, reads, read };
}

const quantities = async (inventory: InventoryStore) =>
  new Map((await inventory.list()).items.map(({ petId, quantity }) => [petId, quantity]));

describe("snapshots of one process", () => {
  test("read each page once if they begin together, and get the same messages", async () => {
    const { reads, read } = await setUp(1_200);
    const [first, ...others] = await Promise.all(Array.from({ length: 50 }, read));
    expect(reads).toMatchObject({ pages: 3, versions: 0 });
    expect(first).toHaveLength(3);
    expect(first?.every(Object.isFrozen)).toBe(true);
    for (const other of others) {
      for (const [index, message] of other.entries()) expect(message).toBe(first?.[index]);
    }
  });

  test("read no page again while nothing changes, however late they begin", async () => {
    const { clock, reads, read } = await setUp(1_200);
    await read();
    clock.now += 3_600_000;
    await read();
    expect(reads).toMatchObject({ pages: 3, versions: 1 });
  });

  test("have every change acknowledged before they begin, with pages read before it", async () => {
    const { catalog, inventory, reads, read } = await setUp(1_200);
    await read();
    await inventory.change({ petId: 700n, quantity: 7 });
    await catalog.remove(2n);
    await catalog.create({ petId: 5_000n, quantity: 3, status });
    const messages = await read();
    expect(reads.pages).toBe(3);
    expect(stockAfter(messages)).toEqual(await quantities(inventory));
  });

  test("read pages again a second after a change", async () => {
    const { clock, inventory, reads, read } = await setUp(1_200);
    await read();
    await inventory.change({ petId: 700n, quantity: 7 });
    clock.now += 1_000;
    const messages = await read();
    expect(reads.pages).toBe(6);
    expect(messages).toHaveLength(3);
    expect(stockAfter(messages)).toEqual(await quantities(inventory));
  });

  test("read a page again that is older than the history", async () => {
    const { catalog, inventory, reads, read } = await setUp(3, 1_000);
    await read();
    await catalog.remove(2n);
    for (let quantity = 0; quantity < 2_500; quantity++)
      await inventory.change({ petId: 1n, quantity });
    const messages = await read();
    expect(reads.pages).toBe(2);
    expect(stockAfter(messages)).toEqual(await quantities(inventory));
  });

  test("read a page again after a failure", async () => {
    const { reads, read } = await setUp(10);
    reads.fails = true;
    await expect(read()).rejects.toThrow("down");
    reads.fails = false;
    expect(await read()).toHaveLength(1);
  });

  test("hold no more than 64 pages", async () => {
    const { inventory, reads, read } = await setUp(35_000);
    await read();
    expect(reads.pages).toBe(70);
    const messages = await read();
    // The first pages were dropped, and each that is read again drops the next one.
    expect(reads.pages).toBe(140);
    expect(stockAfter(messages)).toEqual(await quantities(inventory));
  });
});
