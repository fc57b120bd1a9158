import type { InventoryItem, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type {
  ChangeRequest,
  Conditions,
  Idempotency,
  Origin,
  Outcome,
  Refusal,
  StockChange,
} from "./stock-change.ts";

/** One stock entry. */
export interface Item {
  readonly petId: bigint;
  /** 0 to 2,147,483,647. */
  readonly quantity: number;
  readonly status: PetStatus;
}

/** A stock entry and the version that its last change gave it. */
export interface VersionedItem extends Item {
  readonly version: bigint;
}

/** Largest quantity: that of an int32. */
export const maxQuantity = 2_147_483_647;

/** Items as they were at one version of the stock. */
export interface ItemList {
  /** In ascending order of pet id. */
  readonly items: readonly Item[];
  /** The version of the stock: that of its last change, 0 before the first. */
  readonly version: bigint;
}

/** An entry of the whole list: an item that is a message too, so that a long list is in memory once. It is frozen. */
export type ListedItem = Item & Readonly<InventoryItem>;

/** All items as they were at one version of the stock. */
export interface WholeList extends ItemList {
  readonly items: readonly ListedItem[];
}

/** A page of the stock. */
export interface ItemPage extends ItemList {
  /** Whether there are more items after these. */
  readonly more: boolean;
}

/** A quantity to set, one of several. */
export interface QuantityUpdate extends Conditions {
  readonly petId: bigint;
  readonly quantity: number;
}

/** An item was changed. */
export interface Changed {
  readonly kind: "changed";
  /** As it is after the change. */
  readonly item: VersionedItem;
}

/** All items were changed. */
export interface AllChanged {
  readonly kind: "changed";
  /** As they are after the change, in the order of the updates. */
  readonly items: readonly VersionedItem[];
}

/** Refused updates of a batch that are reported, the first ones. The others are only counted. */
export const mostRefusalsReported = 20;

/** No item was changed, because of some of the updates. */
export interface BatchRefused {
  readonly kind: "refused";
  /** The first refused updates, in order, with their index: {@link mostRefusalsReported} at most. */
  readonly refusals: readonly { readonly index: number; readonly refusal: Refusal }[];
  /** The number of all refused updates. */
  readonly total: number;
}

/** How many items of a put were new, and how many replaced others. */
export interface PutCounts {
  readonly created: number;
  readonly updated: number;
}

/** Which part of the history is asked for. */
export interface HistoryQuery {
  /** The changes of this pet only; those of all pets when undefined. */
  readonly petId?: bigint | undefined;
  /** The newest version to tell, as a page's `next` named it; the newest of all when undefined. */
  readonly from?: bigint | undefined;
  /** Most changes to tell. */
  readonly limit: number;
}

/** A page of the history. */
export interface HistoryPage {
  /** Newest first. */
  readonly changes: readonly StockChange[];
  /** Where the next page begins; undefined when this one was the last. */
  readonly next: bigint | undefined;
}

/** What has happened since a version. */
export interface ChangesSince {
  /** Oldest first, without a gap. */
  readonly changes: readonly StockChange[];
  /** How many changes there are in all, with those beyond the limit. */
  readonly total: number;
}

/**
 * The stock. A change that was answered is stored before the answer; what belongs to it (the item, its
 * version, the history, the answer to a repetition) is stored in one atomic step.
 */
export interface InventoryStore {
  /**
   * @param since a time on the clock of performance.now(), not in the future: a list that was read after
   * it will do; when undefined, only one that is read from now on
   * @returns all items; none acknowledged before that time is missing. While nothing has changed it may be
   * the same list as before: it is frozen then
   */
  list(since?: number): Promise<WholeList>;
  /** Begins to read the list, if that is cheap: {@link list} is likely to be called. */
  readonly prepareList?: (() => void) | undefined;
  /** @returns items in ascending order of pet id, from the first after `after` on */
  page(after: bigint | undefined, limit: number): Promise<ItemPage>;
  /** @returns undefined when there is no such pet */
  get(petId: bigint): Promise<VersionedItem | undefined>;
  /** Sets a quantity; the status stays. */
  setQuantity(
    petId: bigint,
    quantity: number,
    request?: ChangeRequest,
  ): Promise<Outcome<Changed | Refusal>>;
  /** Adds to a quantity, or takes from it with a negative delta, within 0 and the largest quantity. */
  adjust(
    petId: bigint,
    delta: number,
    request?: ChangeRequest,
  ): Promise<Outcome<Changed | Refusal>>;
  /**
   * Sets several quantities, all or none.
   *
   * @param updates each of another pet; conditions are theirs, not the request's
   */
  setQuantities(
    updates: readonly QuantityUpdate[],
    request?: ChangeRequest,
  ): Promise<Outcome<AllChanged | BatchRefused>>;
  /** @returns the item after the change; undefined when there is no such pet */
  setStatus(petId: bigint, status: PetStatus, origin?: Origin): Promise<VersionedItem | undefined>;
  /** @returns the item's version; undefined when the pet is there already */
  create(item: Item, origin?: Origin): Promise<bigint | undefined>;
  /** Adds items, or sets quantity and status of those that are there, all in one atomic step. */
  put(
    items: readonly Item[],
    origin?: Origin,
    idempotency?: Idempotency,
  ): Promise<Outcome<PutCounts>>;
  /** @returns the item as it was; undefined when there is no such pet */
  remove(petId: bigint, origin?: Origin): Promise<VersionedItem | undefined>;
  /**
   * The history, newest first. That of one pet goes back to when it was added last.
   *
   * @returns undefined when there is no such pet
   */
  changes(query: HistoryQuery): Promise<HistoryPage | undefined>;
  /**
   * The history from a version on, oldest first.
   *
   * @param version the version that is known: the changes after it are told
   * @param limit most changes to tell
   * @returns undefined when not all of them are remembered any more, or the version is not of this history:
   * the store may have come back with older data, or with other data
   */
  changesSince(version: bigint, limit: number): Promise<ChangesSince | undefined>;
  /** @returns the version after which every change is remembered */
  historyStart(): Promise<bigint>;
}
