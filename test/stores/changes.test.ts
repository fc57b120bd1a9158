import { describe, expect, test } from "vitest";
import { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { Item, ItemList } from "../../src/stores/inventory-store.ts";
import type { Origin } from "../../src/stores/stock-change.ts";
import { placed } from "../support/stock.ts";
import { nthVersion, someTime, storeKinds } from "../support/stores.ts";

const { AVAILABLE, SOLD } = PetStatus;
const { ARRIVAL, ORDER } = ChangeReason;

const origin: Origin = {
  reason: ARRIVAL,
  note: "two boxes, one wet\nand “late”",
  reference: "PO-17",
  accountId: "aaaaaaaaaaaa",
  keyId: "aaaaaaaaaaaa0000",
  requestId: "request-1",
};

/** Returns the number of the change that has a version, while the clock does not move. */
function nthOf(version: bigint): number {
  return Number(version - nthVersion(1)) + 1;
}

describe.each(storeKinds)("changes of the stock in $name", ({ use }) => {
  const under = use();
  const create = (petId: bigint, quantity: number) =>
    under.stores.catalog.create({ petId, quantity, status: AVAILABLE });

  test("are complete, page by page, in large batches with long texts", async () => {
    const long = { ...origin, note: "\u{1f436}".repeat(500), reference: "\u{1f431}".repeat(100) };
    const pets = Array.from({ length: 100 }, (_, at) => 9_000_000_000_000_000_000n + BigInt(at));
    await under.stores.catalog.put(
      pets.map((petId) => ({ petId, quantity: 1_000_000_000, status: AVAILABLE })),
    );
    const deltas = pets.map((petId) => ({ petId, delta: 1 }));
    for (let at = 0; at < 120; at += 1) {
      await under.stores.inventory.changeAll(deltas, { origin: long });
    }
    async function quantitiesOf(petId: bigint | undefined, limit: number): Promise<number[]> {
      const found: number[] = [];
      let from: bigint | undefined;
      do {
        const page = await under.stores.inventory.changes({ petId, from, limit });
        expect(page?.changes.length).toBeLessThanOrEqual(limit);
        found.push(...(page?.changes.map(({ quantityAfter }) => quantityAfter ?? 0) ?? []));
        from = page?.next;
      } while (from !== undefined);
      return found;
    }
    // The import, then one change for each batch; newest first.
    const ofPet = Array.from({ length: 121 }, (_, at) => 1_000_000_120 - at);
    for (const limit of [1, 7, 100, 200]) {
      expect(await quantitiesOf(pets[42], limit)).toEqual(ofPet);
    }
    const ofAll = ofPet.flatMap((quantity) => pets.map(() => quantity));
    expect(await quantitiesOf(undefined, 200)).toEqual(ofAll);
  });

  describe("history", () => {
    test("of a batch can be read from any version, in both directions", async () => {
      const { catalog, inventory } = under.stores;
      const ids = Array.from({ length: 120 }, (_, index) => BigInt(index + 1));
      await catalog.put(ids.map((petId) => ({ petId, quantity: 0, status: SOLD })));
      await inventory.changeAll(ids.map((petId) => ({ petId, quantity: Number(petId) })));
      const versions = (changes: readonly { version: bigint }[] = []) =>
        changes.map(({ version }) => nthOf(version));
      for (const from of [1, 49, 50, 51, 120, 121, 170, 219, 240]) {
        for (const limit of [1, 49, 50, 51, 500]) {
          const since = await inventory.changesSince(nthVersion(from - 1), limit);
          const after = Array.from({ length: Math.min(limit, 241 - from) }, (_, at) => from + at);
          expect(versions(since?.changes)).toEqual(after);
          const page = await inventory.changes({ from: nthVersion(from), limit });
          const before = Array.from({ length: Math.min(limit, from) }, (_, at) => from - at);
          expect(versions(page?.changes)).toEqual(before);
          expect(page?.next).toBe(limit < from ? nthVersion(from - limit) : undefined);
        }
      }
      const page = await inventory.changes({ petId: 77n, limit: 10 });
      expect(page?.changes).toMatchObject([
        {
          version: nthVersion(197),
          quantityBefore: 0,
          quantityAfter: 77,
          previousVersion: nthVersion(77),
        },
        { version: nthVersion(77), quantityAfter: 0, previousVersion: undefined },
      ]);
    });

    test("has the status before every kind of change, also of one pet and since a version", async () => {
      const { catalog, inventory } = under.stores;
      await create(1n, 1);
      await catalog.update(1n, { status: SOLD });
      await inventory.change({ petId: 1n, quantity: 3 });
      await inventory.changeAll([{ petId: 1n, quantity: 4 }]);
      const many = Array.from({ length: 120 }, (_, at) => ({
        petId: BigInt(at + 1),
        quantity: at,
        status: AVAILABLE,
      }));
      await catalog.put(many);
      await catalog.remove(1n);
      const none = undefined;
      const expected = [none, AVAILABLE, SOLD, SOLD, SOLD, ...Array(119).fill(none), AVAILABLE];
      const { changes } = (await inventory.changesSince(0n, 1_000)) ?? {};
      expect(changes?.map(({ statusBefore }) => statusBefore)).toEqual(expected);
      const all = await inventory.changes({ limit: 1_000 });
      expect(all?.changes).toEqual(changes?.toReversed());
      await catalog.update(60n, { status: SOLD });
      const ofPet = await inventory.changes({ petId: 60n, limit: 10 });
      expect(ofPet?.changes.map(({ statusBefore }) => statusBefore)).toEqual([AVAILABLE, none]);
    });

    test("has an entry for every kind of change, each with the next version", async () => {
      const { catalog, inventory, orders } = under.stores;
      await catalog.create({ petId: 1n, quantity: 1, status: SOLD }, origin);
      await catalog.put([{ petId: 1n, quantity: 2, status: AVAILABLE }], origin);
      await catalog.update(1n, { status: SOLD }, origin);
      await inventory.change({ petId: 1n, quantity: 3 }, { origin });
      await inventory.change({ petId: 1n, delta: 1 }, { origin });
      await inventory.changeAll([{ petId: 1n, quantity: 9 }], { origin });
      const { orderId } = await placed(orders, "aaaaaaaaaaaa", 1n, 4, { origin });
      await orders.cancel("aaaaaaaaaaaa", orderId, origin);
      await catalog.remove(1n, origin);
      const since = await inventory.changesSince(0n, 100);
      const reported = since?.changes.map((change) => [
        nthOf(change.version),
        change.quantityBefore,
        change.quantityAfter,
        change.status,
        change.reason,
        change.reference,
      ]);
      expect(reported).toEqual([
        [1, undefined, 1, SOLD, ARRIVAL, "PO-17"],
        [2, 1, 2, AVAILABLE, ARRIVAL, "PO-17"],
        [3, 2, 2, SOLD, ARRIVAL, "PO-17"],
        [4, 2, 3, SOLD, ARRIVAL, "PO-17"],
        [5, 3, 4, SOLD, ARRIVAL, "PO-17"],
        [6, 4, 9, SOLD, ARRIVAL, "PO-17"],
        [7, 9, 5, SOLD, ORDER, String(orderId)],
        [8, 5, 9, SOLD, ORDER, String(orderId)],
        [9, 9, undefined, undefined, ARRIVAL, "PO-17"],
      ]);
      expect(since?.total).toBe(9);
    });

    test("since a version is returned oldest first, up to a limit, with the number of all changes", async () => {
      const { inventory } = under.stores;
      for (let petId = 1n; petId <= 6n; petId++) await create(petId, 1);
      const since = await inventory.changesSince(nthVersion(2), 3);
      expect(since?.changes.map(({ version }) => nthOf(version))).toEqual([3, 4, 5]);
      expect(since?.total).toBe(4);
      expect(await inventory.changesSince(nthVersion(6), 3)).toEqual({ changes: [], total: 0 });
    });

    test("since an unknown version between two others is undefined", async () => {
      const { inventory } = under.stores;
      await create(1n, 1);
      under.clock.now += 1;
      await create(2n, 1);
      const [last] = (await inventory.changes({ limit: 1 }))?.changes ?? [];
      expect(last?.version).toBe(nthVersion(1_001));
      for (const version of [1n, nthVersion(2), nthVersion(1_000), nthVersion(1_002)]) {
        expect(await inventory.changesSince(version, 3)).toBeUndefined();
      }
      expect(await inventory.changesSince(0n, 3)).toMatchObject({ total: 2 });
      expect(await inventory.changesSince(nthVersion(1), 3)).toMatchObject({ total: 1 });
    });
  });

  describe("versions", () => {
    test("are the time in microseconds", async () => {
      const { catalog, inventory } = under.stores;
      expect(await create(1n, 1)).toBe(BigInt(someTime) * 1_000n);
      under.clock.now += 5;
      await catalog.update(1n, { status: SOLD });
      expect((await inventory.get(1n))?.version).toBe(BigInt(someTime + 5) * 1_000n);
    });

    test("increase while the clock does not move or is set back", async () => {
      const { catalog, inventory } = under.stores;
      await create(1n, 1);
      under.clock.now -= 60_000;
      await catalog.update(1n, { status: SOLD });
      expect(await inventory.get(1n)).toMatchObject({ version: nthVersion(2) });
      await catalog.put([1n, 2n].map((petId) => ({ petId, quantity: 2, status: SOLD })));
      expect(await inventory.get(1n)).toMatchObject({ version: nthVersion(3) });
      expect(await inventory.get(2n)).toMatchObject({ version: nthVersion(4) });
    });
  });

  test("the list is that of one version while the stock is written", async () => {
    const { catalog, inventory } = under.stores;
    const count = 4_000n;
    const ids = Array.from({ length: Number(count) }, (_, index) => BigInt(2 * index + 1));
    for (let at = 0; at < ids.length; at += 1_000) {
      const some = ids.slice(at, at + 1_000);
      await catalog.put(some.map((petId) => ({ petId, quantity: 0, status: AVAILABLE })));
    }
    const seen: ItemList[] = [];
    const write = async () => {
      for (let index = 0n; seen.length < 10; index += 1n) {
        const petId = ((index * 53n) % count) * 2n + 1n;
        await inventory.change({ petId, delta: 1 });
        await create(petId + 1n, 0);
        await catalog.remove(((index * 31n) % count) * 2n + 2n);
      }
    };
    const read = async () => {
      while (seen.length < 10) seen.push(await inventory.list());
    };
    await Promise.all([write(), read()]);

    const items = new Map<bigint, Item>();
    let version = 0n;
    for (const list of seen) {
      while (version < list.version) {
        const since = await inventory.changesSince(version, 500);
        for (const change of since?.changes ?? []) {
          if (change.version > list.version) break;
          const { petId, quantityAfter: quantity, status } = change;
          if (quantity === undefined || status === undefined) items.delete(petId);
          else items.set(petId, { petId, quantity, status });
          version = change.version;
        }
      }
      expect(list.items).toMatchObject(
        [...items.values()].sort((a, b) => Number(a.petId - b.petId)),
      );
    }
  });
});
