import fc from "fast-check";
import { PetStatus, type WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Item } from "../../../src/stores/inventory-store.ts";
import type { StockChange } from "../../../src/stores/stock-change.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import type { SelectionFields } from "../../support/watch.ts";

/** What a copy of the stock has of a pet. */
interface Values {
  readonly quantity: number;
  readonly status: PetStatus;
}

export type Copy = Map<bigint, Values>;

const aPet = fc.bigInt({ min: 1n, max: 6n });
const aQuantity = fc.nat({ max: 5 });
const aStatus = fc.constantFrom(PetStatus.AVAILABLE, PetStatus.PENDING, PetStatus.SOLD);
const anItem = fc.record({ petId: aPet, quantity: aQuantity, status: aStatus });
const somePets = { selector: (item: { petId: bigint }) => item.petId, minLength: 1, maxLength: 6 };

export const aSelection: fc.Arbitrary<SelectionFields> = fc
  .record(
    {
      status: aStatus,
      minQuantity: aQuantity,
      maxQuantity: aQuantity,
      petIds: fc.uniqueArray(aPet, { minLength: 1, maxLength: 4 }),
    },
    { requiredKeys: [] },
  )
  .filter(
    ({ minQuantity = 0, maxQuantity = Number.POSITIVE_INFINITY }) => minQuantity <= maxQuantity,
  );

export type Change = (stores: Pick<Stores, "catalog" | "inventory" | "holds">) => Promise<unknown>;

export const account = "aaaaaaaaaaaa";
const aHold = fc.constantFrom("hold-1", "hold-2");
const someItems = fc.uniqueArray(anItem, somePets);

export const aChange: fc.Arbitrary<Change> = fc.oneof(
  anItem.map(
    (item): Change =>
      ({ catalog }) =>
        catalog.create(item),
  ),
  anItem.map(
    (item): Change =>
      ({ inventory }) =>
        inventory.change({ petId: item.petId, quantity: item.quantity }),
  ),
  anItem.map(
    (item): Change =>
      ({ catalog }) =>
        catalog.update(item.petId, { status: item.status }),
  ),
  anItem.map(
    (item): Change =>
      ({ catalog }) =>
        catalog.remove(item.petId),
  ),
  someItems.map(
    (items): Change =>
      ({ catalog }) =>
        catalog.put(items),
  ),
  someItems.map(
    (updates): Change =>
      ({ inventory }) =>
        inventory.changeAll(updates),
  ),
  someItems.map(
    (items): Change =>
      ({ inventory }) =>
        inventory.changeAll(
          items.map(({ petId, quantity }) => ({ petId, delta: quantity - 2 || 1 })),
        ),
  ),
  fc.tuple(aHold, anItem).map(
    ([holdId, { petId, quantity }]): Change =>
      ({ holds }) =>
        holds.put(account, holdId, { items: [{ petId, quantity: quantity + 1 }], ttlMs: 60_000 }),
  ),
  aHold.map(
    (holdId): Change =>
      ({ holds }) =>
        holds.release(account, holdId),
  ),
);

function belongs(
  { status, minQuantity = 0, maxQuantity = Number.POSITIVE_INFINITY, petIds }: SelectionFields,
  petId: bigint,
  values: Values | undefined,
): boolean {
  return (
    values !== undefined &&
    (status === undefined || status === values.status) &&
    values.quantity >= minQuantity &&
    values.quantity <= maxQuantity &&
    (petIds === undefined || petIds.includes(petId))
  );
}

/** Sets or deletes a pet as a client with a selection does. */
function apply(
  copy: Copy,
  selection: SelectionFields,
  petId: bigint,
  quantity: number | undefined,
  status: PetStatus | undefined,
): void {
  const values = quantity === undefined || status === undefined ? undefined : { quantity, status };
  if (values && belongs(selection, petId, values)) copy.set(petId, values);
  else copy.delete(petId);
}

/** Returns the copy that a client with a selection keeps from what it receives. */
export function copyAfter(
  received: readonly WatchInventoryResponse[],
  selection: SelectionFields,
): Copy {
  const copy: Copy = new Map();
  for (const { event } of received) {
    if (event.case === "snapshot") {
      for (const { petId, quantity = 0, status } of event.value.items) {
        copy.set(petId, { quantity, status });
      }
      for (const petId of event.value.removedPetIds) copy.delete(petId);
    } else if (event.case === "change") {
      const { petId, quantityAfter, status } = event.value;
      apply(copy, selection, petId, quantityAfter, status);
    }
  }
  return copy;
}

/** Returns the versions of the changes before or after which the pet belongs to a selection. */
export function concerned(changes: readonly StockChange[], selection: SelectionFields): bigint[] {
  const stock: Copy = new Map();
  return changes
    .filter(({ petId, quantityAfter, status }) => {
      const before = belongs(selection, petId, stock.get(petId));
      apply(stock, {}, petId, quantityAfter, status);
      return before || belongs(selection, petId, stock.get(petId));
    })
    .map(({ version }) => version);
}

/** Returns the selected items of a stock. */
export function selected(stock: readonly Item[], selection: SelectionFields): Copy {
  const items = stock.filter(({ petId, ...values }) => belongs(selection, petId, values));
  return new Map(items.map(({ petId, quantity, status }) => [petId, { quantity, status }]));
}
