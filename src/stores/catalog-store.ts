import type { CatalogEntry as EntryMessage } from "../../gen/catalog/v1/catalog_pb.ts";
import type { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { CallContext } from "../common/call-context.ts";
import type { Item } from "./inventory-store.ts";
import type { Idempotency, Origin, Outcome } from "./stock-change.ts";

/** How people know a pet. */
export interface PetNames {
  /** Empty if it has none. */
  readonly name: string;
  /** Empty if it has none. No other pet has the same. */
  readonly sku: string;
}

export interface CatalogEntry extends PetNames {
  readonly petId: bigint;
  readonly status: PetStatus;
}

/** An entry of a list. It is a message too, so that a long list needs no second copy. It is frozen. */
export type ListedEntry = CatalogEntry & Readonly<EntryMessage>;

/** Entries as they were at one version of the catalogue. */
export interface EntryList {
  /** In ascending order of pet id. */
  readonly entries: readonly ListedEntry[];
  /** That of the last change of an entry, 0 before the first. Changes of quantities leave it as it is. */
  readonly version: bigint;
}

/** A page of the catalogue. */
export interface EntryPage extends EntryList {
  /** Whether there are more entries after these. */
  readonly more: boolean;
}

/** Which entries to find: those of all conditions that are present. Each has at most 100 values. */
export interface EntryQuery {
  readonly petIds?: readonly bigint[] | undefined;
  readonly skus?: readonly string[] | undefined;
}

/** A pet to add or put. Absent names stay; a pet that is added has none then. */
export interface PutPet extends Item, Partial<PetNames> {}

/** What a change of an entry sets. Absent members stay. An empty name or SKU is removed. */
export interface EntryChange extends Partial<PetNames> {
  readonly status?: PetStatus | undefined;
}

/** Nothing was changed: another pet has the SKU. */
export interface SkuTaken {
  readonly kind: "sku_taken";
  /** The other pet. */
  readonly by: bigint;
}

/** How many items of a put were new, and how many replaced others. */
export interface PutCounts {
  readonly created: number;
  readonly updated: number;
}

/** Nothing was put: quantities of items and the units of their pets that are held would be too large together. */
export interface PutTooLarge {
  readonly kind: "too_large";
  /** The first such items, in order, with the units that are held: {@link mostRefusalsReported} at most. */
  readonly items: readonly { readonly index: number; readonly held: number }[];
}

/** Nothing was put: other pets have SKUs of the items. */
export interface PutSkusTaken {
  readonly kind: "sku_taken";
  /** The first such items, in order, with the pets that have their SKUs: {@link mostRefusalsReported} at most. */
  readonly items: readonly { readonly index: number; readonly by: bigint }[];
}

/** The pets that exist, their names, SKUs and status. Status and existence are a part of the stock and its history. */
export interface CatalogStore {
  /** Reads all entries. @returns while nothing has changed, possibly the same list as before; it is frozen then */
  list(context?: CallContext): Promise<EntryList>;
  /** @returns entries in ascending order of pet id, from the first after `after` on */
  page(after: bigint | undefined, limit: number, context?: CallContext): Promise<EntryPage>;
  /** @returns the entries that exist, in ascending order of pet id */
  find(query: EntryQuery, context?: CallContext): Promise<EntryList>;
  /** Adds a pet. @returns the version of its item; undefined when the pet exists already */
  create(
    pet: PutPet,
    origin?: Origin,
    context?: CallContext,
  ): Promise<bigint | undefined | SkuTaken>;
  /** Changes an entry. @returns the entry after the change; undefined when there is no such pet */
  update(
    petId: bigint,
    change: EntryChange,
    origin?: Origin,
    context?: CallContext,
  ): Promise<ListedEntry | undefined | SkuTaken>;
  /** Adds or changes pets, each pet and each SKU at most once, in one atomic step. Pets can exchange their SKUs. */
  put(
    pets: readonly PutPet[],
    origin?: Origin,
    idempotency?: Idempotency,
    context?: CallContext,
  ): Promise<Outcome<PutCounts | PutTooLarge | PutSkusTaken>>;
  /** Removes a pet. @returns its entry as it was; undefined when there is no such pet; `held` when units of it are held */
  remove(
    petId: bigint,
    origin?: Origin,
    context?: CallContext,
  ): Promise<ListedEntry | undefined | "held">;
}
