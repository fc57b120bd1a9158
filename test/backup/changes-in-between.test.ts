import fc from "fast-check";
import { expect, test } from "vitest";
import { ChangeReason } from "../../gen/inventory/v1/inventory_pb.ts";
import { createChangesInBetween } from "../../src/backup/changes-in-between.ts";
import {
  type ChangeRecord,
  changesText,
  type ItemRecord,
  type OrderEntry,
  orderText,
} from "../../src/backup/records.ts";

/** A stock whose pets and orders change, and the history of its changes. */
function createStock() {
  const items = new Map<number, { quantity: number; version: number }>();
  const orders = new Map<number, { of: string; petId: number; status: number }>();
  const history: ChangeRecord[] = [];
  let version = 0;

  function change(petId: number, quantity: number | undefined, order?: number, of = ""): void {
    const before = items.get(petId);
    version += 1;
    const changes = changesText(
      [
        {
          petId: String(petId),
          version,
          quantityBefore: before?.quantity,
          quantityAfter: quantity,
          status: quantity === undefined ? undefined : "1",
          versionBefore: before?.version,
        },
      ],
      version,
    );
    const reason = order === undefined ? ChangeReason.ADJUSTMENT : ChangeReason.ORDER;
    const fields = {
      time: "1",
      changes,
      reason: String(reason),
      account: of,
      reference: String(order ?? ""),
    };
    history.push({ change: `${version}-${version}`, fields });
    if (quantity === undefined) items.delete(petId);
    else items.set(petId, { quantity, version });
  }

  return {
    history,
    set: change,
    place(of: string, petId: number) {
      const quantity = items.get(petId)?.quantity ?? 0;
      if (quantity < 1) return;
      const orderId = orders.size + 1;
      orders.set(orderId, { of, petId, status: 1 });
      change(petId, quantity - 1, orderId, of);
    },
    cancel(orderId: number) {
      const order = orders.get(orderId);
      const item = order && items.get(order.petId);
      // Cancelling an order of a removed pet changes no stock.
      if (!order || !item || order.status === 4) return;
      order.status = 4;
      change(order.petId, item.quantity + 1, orderId, order.of);
    },
    itemsOf(pets: readonly number[]): ItemRecord[] {
      return pets.flatMap((petId) => {
        const item = items.get(petId);
        const value = item && `${item.quantity},1,${item.version}`;
        return value === undefined ? [] : [{ item: String(petId), value }];
      });
    },
    ordersOf(accounts: readonly string[]): OrderEntry[] {
      return accounts.flatMap((account) =>
        [...orders].flatMap(([orderId, { of, petId, status }]) => {
          const endedAt = status === 4 ? "1" : undefined;
          const parts = { orderId, petId: String(petId), quantity: 1, placedAt: 1, endedAt };
          const own = { status: String(status), reference: referenceOf(orderId) };
          return of === account ? [{ order: orderText({ ...parts, ...own }), of }] : [];
        }),
      );
    },
  };
}

/** Every second order has one. */
const referenceOf = (orderId: number) => (orderId % 2 === 0 ? "" : `cart, ${orderId}`);

const readReferences = async (_: string, ids: readonly number[]) => ids.map(referenceOf);

type Stock = ReturnType<typeof createStock>;

const pets = [1, 2, 3, 9, 10, 11, 12];
const accounts = ["a", "b", "c"];
const aPet = fc.constantFrom(...pets);

/** Changes, with orders of these accounts. */
function changesOf(...owners: readonly string[]): fc.Arbitrary<((stock: Stock) => void)[]> {
  const aChange = fc.oneof(
    fc.tuple(aPet, fc.nat(3)).map(
      ([pet, n]) =>
        (stock: Stock) =>
          stock.set(pet, n),
    ),
    aPet.map((pet) => (stock: Stock) => stock.set(pet, undefined)),
    fc.tuple(fc.constantFrom(...owners), aPet).map(
      ([of, pet]) =>
        (stock: Stock) =>
          stock.place(of, pet),
    ),
    fc.integer({ min: 1, max: 6 }).map((id) => (stock: Stock) => stock.cancel(id)),
  );
  return fc.array(aChange, { maxLength: 8 });
}

// The account d is created after the accounts were listed.
const later = changesOf(...accounts, "d");

async function collect<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

async function* of<T>(pages: readonly (readonly T[])[]): AsyncGenerator<readonly T[]> {
  yield* pages;
}

test("pages that are read between changes become the stock and its orders after the last one", async () => {
  await fc.assert(
    fc.asyncProperty(
      changesOf(...accounts),
      fc.tuple(later, later, later, later, later),
      async (first, rest) => {
        const stock = createStock();
        for (const change of first) change(stock);
        const begin = stock.history.length;
        const reads = [
          () => stock.itemsOf([1, 2, 3]),
          () => stock.itemsOf([9, 10]),
          () => stock.itemsOf([11, 12]),
        ];
        const itemPages: ItemRecord[][] = [];
        const orderPages: OrderEntry[][] = [];
        rest.forEach((some, index) => {
          for (const change of some) change(stock);
          const read = reads[index];
          if (read) itemPages.push(read());
          else if (index === 3) orderPages.push(stock.ordersOf(["a", "b"]));
          else orderPages.push(stock.ordersOf(["c"]));
        });
        for (const change of first) change(stock);

        const between = createChangesInBetween();
        for (const entry of stock.history.slice(begin)) between.add(entry);
        const byPet = (a: ItemRecord, b: ItemRecord) => Number(a.item) - Number(b.item);
        const items = await collect(between.items(of(itemPages)));
        expect(items.sort(byPet)).toEqual(stock.itemsOf(pets).sort(byPet));
        const found = await collect(between.orders(of(orderPages), readReferences));
        const byText = (a: OrderEntry, b: OrderEntry) => (a.of + a.order < b.of + b.order ? -1 : 1);
        expect(found.sort(byText)).toEqual(stock.ordersOf([...accounts, "d"]).sort(byText));
      },
    ),
    { numRuns: 500 },
  );
});
