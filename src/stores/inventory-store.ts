import type { InventoryItem, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { CallContext } from "../common/call-context.ts";
import type {
  ChangeRequest,
  Conditions,
  CountRefusal,
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

/** A stock entry and its version, which its last change set. */
export interface VersionedItem extends Item {
  readonly version: bigint;
}

/** The largest quantity: that of an int32. */
export const maxQuantity = 2_147_483_647;

/** Items as they were at one version of the stock. */
export interface ItemList {
  /** In ascending order of pet id. */
  readonly items: readonly Item[];
  /** The version of the stock: that of its last change, 0 before the first. */
  readonly version: bigint;
}

/** An entry of the whole list. It is a message too, so that a long list needs no second copy. It is frozen. */
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

/** The units of a pet at one moment. A hold counts as ended from the time on when it expires. */
export interface StockLevel {
  readonly petId: bigint;
  /** Those that are for sale. */
  readonly quantity: number;
  /** Those that are held. The sum of both is at most {@link maxQuantity}. */
  readonly held: number;
}

/** Which levels to read. */
export interface LevelQuery {
  /** Those of these pets, in ascending order. A page if empty or absent. */
  readonly petIds?: readonly bigint[];
  /** The page begins with the next pet; with the first one if absent. */
  readonly after?: bigint | undefined;
  /** The most levels of a page. */
  readonly limit: number;
}

/** Levels as they were at one moment. */
export interface LevelPage {
  /** In ascending order of pet id. Pets that do not exist are left out. */
  readonly levels: readonly StockLevel[];
  /** Whether more levels follow. A page can be shorter than its limit while very many holds are due. */
  readonly more: boolean;
}

/** A new quantity of a pet. */
export type QuantityUpdate = Conditions & { readonly petId: bigint; readonly quantity: number };

/** What is added to the quantity of a pet: not 0. */
export type QuantityDelta = Conditions & { readonly petId: bigint; readonly delta: number };

export type QuantityChange = QuantityUpdate | QuantityDelta;

/** How many units of a pet were counted. */
export interface CountedPet {
  readonly petId: bigint;
  /** Held units included. */
  readonly counted: number;
  /** What the quantity and the held units must be together. */
  readonly expectedOnHand?: number | undefined;
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
  /** As they are after the change, in the order of the batch. */
  readonly items: readonly VersionedItem[];
}

/** The most refused changes of a batch that are reported. The others are only counted. */
export const mostRefusalsReported = 20;

/** No item was changed, because of some of the changes. */
export interface BatchRefused<R = Refusal> {
  readonly kind: "refused";
  /** The first refused changes, in order, with their index: {@link mostRefusalsReported} at most. */
  readonly refusals: readonly { readonly index: number; readonly refusal: R }[];
  /** The number of all refused changes. */
  readonly total: number;
}

/** Makes the outcome of a request for several pets. @param refusals all of them, in order */
export function batchRefused<R>(refusals: BatchRefused<R>["refusals"]): BatchRefused<R> {
  const reported = refusals.slice(0, mostRefusalsReported);
  return { kind: "refused", refusals: reported, total: refusals.length };
}

/** A part of the history. */
export interface HistoryQuery {
  /** The changes of this pet only; those of all pets when undefined. */
  readonly petId?: bigint | undefined;
  /** The newest version to return: the `next` of the previous page. When undefined, the newest of all. */
  readonly from?: bigint | undefined;
  /** The most changes to return. */
  readonly limit: number;
}

export interface HistoryPage {
  /** Newest first. */
  readonly changes: readonly StockChange[];
  /** Where the next page begins; undefined when this one was the last. */
  readonly next: bigint | undefined;
}

export interface ChangesSince {
  /** Oldest first, without a gap. */
  readonly changes: readonly StockChange[];
  /** The number of all changes, including those beyond the limit. */
  readonly total: number;
}

/**
 * The stock. A change is stored before its promise is fulfilled: in one atomic step with the item, its version, the history
 * and the outcome for repeated requests. No change is made after the deadline of its context.
 */
export interface InventoryStore {
  /**
   * Reads all items, with every change that was acknowledged before the call, or before `since`: a time on the clock of
   * performance.now(), in milliseconds, not in the future.
   *
   * @returns while nothing has changed, possibly the same list as before; it is frozen then
   */
  list(since?: number, context?: CallContext): Promise<WholeList>;
  /** Begins a read for calls of {@link list}, if it takes little time. Reports no errors: they fail those calls. */
  prefetchList(context?: CallContext): void;
  /** @returns items in ascending order of pet id, from the first after `after` on */
  page(after: bigint | undefined, limit: number, context?: CallContext): Promise<ItemPage>;
  levels(query: LevelQuery, context?: CallContext): Promise<LevelPage>;
  /** @returns undefined when there is no such pet */
  get(petId: bigint, context?: CallContext): Promise<VersionedItem | undefined>;
  /** Changes a quantity; the status stays. The result must be 0 to {@link maxQuantity}, less the held units of the pet. */
  change(
    change: QuantityChange,
    request?: ChangeRequest,
    context?: CallContext,
  ): Promise<Outcome<Changed | Refusal>>;
  /** Changes quantities of different pets, all or none, like {@link change}. */
  changeAll(
    changes: readonly QuantityUpdate[] | readonly QuantityDelta[],
    request?: ChangeRequest,
    context?: CallContext,
  ): Promise<Outcome<AllChanged | BatchRefused>>;
  /** Sets counted units less held ones, all or none, after the due holds of the pets have ended. */
  count(
    counts: readonly CountedPet[],
    request?: ChangeRequest,
    context?: CallContext,
  ): Promise<Outcome<AllChanged | BatchRefused<CountRefusal>>>;
  /** Returns a page of the history, newest first: that of a pet since it was last added. Undefined without such a pet. */
  changes(query: HistoryQuery, context?: CallContext): Promise<HistoryPage | undefined>;
  /** Returns the changes after a version, oldest first; undefined if the store has lost some of them, or the version. */
  changesSince(version: bigint, limit: number): Promise<ChangesSince | undefined>;
  /** @returns the version after which the history has every change */
  historyStart(): Promise<bigint>;
}

/**
 * Reads the changes after one version up to another, in parts.
 *
 * @param atOnce the most changes in a part
 * @returns whether the history has both versions and all changes between them. If not, the parts must not be used
 */
export async function* changesBetween(
  changesSince: InventoryStore["changesSince"],
  from: bigint,
  to: bigint,
  atOnce: number,
): AsyncGenerator<readonly StockChange[], boolean> {
  for (let at = from; at !== to; ) {
    const since = at < to ? await changesSince(at, atOnce) : undefined;
    const changes = since?.changes.filter(({ version }) => version <= to) ?? [];
    const last = changes.at(-1);
    if (!last) return false;
    yield changes;
    at = last.version;
  }
  return true;
}
