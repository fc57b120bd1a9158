import type { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { CallContext } from "../common/call-context.ts";
import type { Item, VersionedItem } from "./inventory-store.ts";
import type { Idempotency, Origin, Outcome } from "./stock-change.ts";

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

/** What a change of a catalogue entry sets. Absent members stay. */
export interface EntryChange {
  readonly status: PetStatus;
}

/** The pets that exist, and their status. Its changes are changes of the stock, as those of InventoryStore are. */
export interface CatalogStore {
  /** Adds a pet. @returns the version of its item; undefined when the pet exists already */
  create(item: Item, origin?: Origin, context?: CallContext): Promise<bigint | undefined>;
  /** Changes an entry. @returns the item after the change; undefined when there is no such pet */
  update(
    petId: bigint,
    change: EntryChange,
    origin?: Origin,
    context?: CallContext,
  ): Promise<VersionedItem | undefined>;
  /** Adds pets, or sets quantity and status of existing ones, in one atomic step. */
  put(
    items: readonly Item[],
    origin?: Origin,
    idempotency?: Idempotency,
    context?: CallContext,
  ): Promise<Outcome<PutCounts | PutTooLarge>>;
  /** Removes a pet. @returns its item as it was; undefined when there is no such pet; `held` when units of it are held */
  remove(
    petId: bigint,
    origin?: Origin,
    context?: CallContext,
  ): Promise<VersionedItem | undefined | "held">;
}
