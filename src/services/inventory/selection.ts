import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { fieldInvalid } from "../../contract/errors.ts";
import { firstIndex } from "../../stores/first-index.ts";
import { maxQuantity as largestQuantity } from "../../stores/inventory-store.ts";
import type { StockChange } from "../../stores/stock-change.ts";

/** Conditions on items, which all must hold. */
export interface Selection {
  /** Undefined for any status. */
  readonly status: PetStatus | undefined;
  readonly minQuantity: number;
  readonly maxQuantity: number;
  /** In ascending order. Empty for all pets. */
  readonly petIds: readonly bigint[];
  /** The same text for the same conditions. */
  readonly key: string;
}

/** The fields of a request that are its selection. */
export type SelectionFields = Partial<Omit<Selection, "status" | "key">> & { status?: PetStatus };

const allPets: readonly bigint[] = [];

/** Returns the selection of a request; undefined when all items belong to it. It may be a selection of no item. */
export function selectionOf({
  status = PetStatus.UNSPECIFIED,
  minQuantity = 0,
  maxQuantity = largestQuantity,
  petIds = allPets,
}: SelectionFields): Selection | undefined {
  const isAny = minQuantity === 0 && maxQuantity === largestQuantity;
  if (isAny && status === PetStatus.UNSPECIFIED && petIds.length === 0) return undefined;
  const sorted = petIds.toSorted((a, b) => (a < b ? -1 : 1));
  let key = `${status} ${minQuantity} ${maxQuantity}`;
  for (const petId of sorted) key += ` ${shortText(petId)}`;
  return { status: status || undefined, minQuantity, maxQuantity, petIds: sorted, key };
}

/** Returns an integer as text. Numbers are converted ten times as fast as bigints. */
function shortText(petId: bigint): string {
  const number = Number(petId);
  return Number.isSafeInteger(number) ? `${number}` : `${petId}`;
}

/** @throws ConnectError invalid_argument when the smallest quantity is above the largest */
export function checkSelection({ minQuantity, maxQuantity }: Selection): void {
  if (minQuantity <= maxQuantity) return;
  const fault = `must not be above the largest quantity, which is ${maxQuantity}`;
  throw fieldInvalid("min_quantity", fault);
}

/** Returns whether the conditions on quantity and status hold. */
export function hasValues(
  selection: Selection,
  quantity: number,
  status: PetStatus | undefined,
): boolean {
  return (
    quantity >= selection.minQuantity &&
    quantity <= selection.maxQuantity &&
    (selection.status === undefined || status === selection.status)
  );
}

/** Returns whether a pet belongs to a selection after a change. */
export function hasAfter(
  selection: Selection,
  { petId, quantityAfter, status }: StockChange,
): boolean {
  return (
    quantityAfter !== undefined &&
    hasValues(selection, quantityAfter, status) &&
    hasPet(selection, petId)
  );
}

/** Returns whether a pet belongs to a selection before or after a change. */
export function isConcerned(selection: Selection, change: StockChange): boolean {
  const { petId, quantityBefore, statusBefore } = change;
  const belonged =
    quantityBefore !== undefined &&
    hasValues(selection, quantityBefore, statusBefore) &&
    hasPet(selection, petId);
  return belonged || hasAfter(selection, change);
}

function hasPet({ petIds }: Selection, petId: bigint): boolean {
  if (petIds.length === 0) return true;
  return petIds[firstIndex(petIds.length, (at) => (petIds[at] as bigint) >= petId)] === petId;
}
