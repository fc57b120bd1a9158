import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ListInventoryRequestSchema, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import {
  isCacheable,
  listPage,
  needsScan,
  selectedPage,
} from "../../../src/services/inventory/selected-page.ts";
import {
  type Selection,
  type SelectionFields,
  selectionOf,
} from "../../../src/services/inventory/selection.ts";
import type { WholeList } from "../../../src/stores/inventory-store.ts";
import { listedItem } from "../../../src/stores/item-message.ts";

const { AVAILABLE, SOLD, UNSPECIFIED } = PetStatus;
const all = Number.POSITIVE_INFINITY;

/** Returns a frozen list, as the store caches it. Every tenth pet is sold. */
function listOf(count: number): WholeList {
  const items = Array.from({ length: count }, (_, n) =>
    listedItem({ petId: BigInt(n + 1), quantity: n, status: n % 10 === 9 ? SOLD : AVAILABLE }),
  );
  return Object.freeze({ items, version: 1n });
}

function selection(fields: SelectionFields): Selection {
  return selectionOf(fields) as Selection;
}

function request(fields: MessageInitShape<typeof ListInventoryRequestSchema>) {
  return create(ListInventoryRequestSchema, fields);
}

test("a selection is absent when every item belongs to it", () => {
  expect(selectionOf({})).toBeUndefined();
  const fields = { status: UNSPECIFIED, petIds: [] };
  expect(selectionOf({ ...fields, minQuantity: 0, maxQuantity: 2_147_483_647 })).toBeUndefined();
});

test("pages of a list have each item once", () => {
  const list = listOf(5);
  const idsAfter = (petId: bigint) =>
    listPage(list, petId, 2).items.map((item) => Number(item.petId));
  expect([0n, 2n, 4n, 5n].map(idsAfter)).toEqual([[1, 2], [3, 4], [5], []]);
});

describe("the cache of selected pages", () => {
  test("has one page for equal selections, as long as the list stays the same", async () => {
    const list = listOf(100);
    const first = await selectedPage(list, selection({ petIds: [3n, 1n, 2n] }), 0n, all);
    expect(await selectedPage(list, selection({ petIds: [1n, 2n, 3n] }), 0n, all)).toBe(first);
    expect(await selectedPage(list, selection({ petIds: [1n, 2n] }), 0n, all)).not.toBe(first);
    expect(await selectedPage(list, selection({ petIds: [1n, 2n, 3n] }), 1n, all)).not.toBe(first);
    expect(await selectedPage(list, selection({ petIds: [1n, 2n, 3n] }), 0n, 2)).not.toBe(first);
    expect(await selectedPage(listOf(100), selection({ petIds: [1n, 2n, 3n] }), 0n, all)).toEqual(
      first,
    );
  });

  test("shares the items of the list", async () => {
    const list = listOf(100);
    const { items } = await selectedPage(list, selection({ status: SOLD }), 0n, all);
    expect(items).toHaveLength(10);
    for (const item of items) expect(list.items).toContain(item);
    const page = (limit: number) => selectedPage(list, selection({ status: SOLD }), 0n, limit);
    expect([(await page(9)).more, (await page(10)).more]).toEqual([true, false]);
  });

  test("drops the oldest pages beyond its bound", async () => {
    const list = listOf(10);
    const first = selection({ minQuantity: 1 });
    const page = await selectedPage(list, first, 0n, all);
    for (let minQuantity = 2; minQuantity < 15; minQuantity += 1) {
      await selectedPage(list, selection({ minQuantity }), 0n, all);
    }
    expect(await selectedPage(list, first, 0n, all)).toBe(page);
    for (let minQuantity = 100; minQuantity < 120; minQuantity += 1) {
      await selectedPage(list, selection({ minQuantity }), 0n, all);
    }
    expect(await selectedPage(list, first, 0n, all)).not.toBe(page);
  });

  test("does not have long pages", async () => {
    const list = listOf(20_000);
    const long = await selectedPage(list, selection({ status: AVAILABLE }), 0n, all);
    expect(long.items).toHaveLength(18_000);
    expect(isCacheable(long)).toBe(false);
    expect(await selectedPage(list, selection({ status: AVAILABLE }), 0n, all)).not.toBe(long);
  });

  test("has no pages of a list that can change", async () => {
    const { items, version } = listOf(10);
    const list = { items, version };
    const page = await selectedPage(list, selection({ status: SOLD }), 0n, all);
    expect(await selectedPage(list, selection({ status: SOLD }), 0n, all)).not.toBe(page);
  });
});

describe("a request", () => {
  test("needs a scan unless it names pets, or its page is cached", async () => {
    const list = listOf(1_000);
    expect(needsScan(request({}))).toBe(false);
    expect(needsScan(request({ petIds: [1n], status: SOLD }))).toBe(false);
    const sold = selection({ status: SOLD });
    await selectedPage(list, sold, 0n, all);
    expect(needsScan(request({ status: SOLD }))).toBe(false);
    expect(needsScan(request({ status: SOLD, pageSize: 5 }))).toBe(true);
    await selectedPage(list, sold, 0n, 5);
    expect(needsScan(request({ status: SOLD, pageSize: 5 }))).toBe(false);
    expect(needsScan(request({ status: SOLD, pageSize: 5, pageToken: "x" }))).toBe(true);
    await selectedPage(listOf(1), sold, 0n, 1);
    expect(needsScan(request({ status: SOLD }))).toBe(true);
  });

  test("waits for a scan of more than one slice, which all requests share", async () => {
    const { version, items } = listOf(8_192);
    // Reading every 4,096th item takes 3 ms.
    const slow = new Proxy(items, {
      get(target, at, receiver) {
        if (Number(at) % 4_096 === 0)
          for (const end = performance.now() + 3; performance.now() < end; );
        return Reflect.get(target, at, receiver);
      },
    });
    const list = Object.freeze({ items: slow, version });
    const found = [1, 2].map(() => selectedPage(list, selection({ status: SOLD }), 0n, all));
    expect(found[0]).toBeInstanceOf(Promise);
    const [first, second] = await Promise.all(found);
    expect(first).toBe(second);
    expect(first?.items).toHaveLength(819);
  });
});
