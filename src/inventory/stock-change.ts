import { ChangeReason, type PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";

/** Why the stock is changed, and by whom. Texts are empty where there is nothing to say. */
export interface Origin {
  readonly reason: ChangeReason;
  /** For people. At most 500 characters. */
  readonly note: string;
  /** What the change belongs to elsewhere: an order, a delivery. At most 100 characters. */
  readonly reference: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly requestId: string;
}

/** A change that nobody has said anything of. */
export const unknownOrigin: Origin = {
  reason: ChangeReason.ADJUSTMENT,
  note: "",
  reference: "",
  accountId: "",
  keyId: "",
  requestId: "",
};

/** What has to be so for a change to be made. What is undefined may be anything. */
export interface Conditions {
  /** The item's version is one of these: with none of them, no version will do. */
  readonly expectedVersions?: readonly bigint[] | undefined;
  /** Versions that the item must not have. Ignored when {@link expectedVersions} is given. */
  readonly excludedVersions?: readonly bigint[] | undefined;
  /** The item's quantity. */
  readonly expectedQuantity?: number | undefined;
}

/** How a repetition of a request is known. */
export interface Idempotency {
  /** Chosen by the client, 1 to 255 characters; one of the account's own. */
  readonly key: string;
  /** The same for the same request, and for no other. No white space. */
  readonly fingerprint: string;
}

/** For how long the answer to a request with an idempotency key is remembered, in milliseconds. */
export const answerKeptMs = 24 * 60 * 60 * 1000;

/** All that goes with a change besides what is changed. */
export interface ChangeRequest {
  readonly origin?: Origin | undefined;
  readonly conditions?: Conditions | undefined;
  /** When it is given, the first outcome is remembered, and told again in place of another change. */
  readonly idempotency?: Idempotency | undefined;
}

/** Why a change of an item's quantity was not made. */
export type Refusal =
  | { readonly kind: "no_pet" }
  /** A condition did not hold: how the item is instead. */
  | {
      readonly kind: "version_mismatch" | "quantity_mismatch";
      readonly version: bigint;
      readonly quantity: number;
    }
  /** Less would be left than nothing, or more than the largest quantity: what there is. */
  | { readonly kind: "too_small" | "too_large"; readonly quantity: number };

/** The idempotency key was used with another request. */
export interface KeyReused {
  readonly kind: "key_reused";
}

/** What became of a request: whether it was so before, and the request was repeated. */
export type Outcome<T> = (T | KeyReused) & { readonly replayed: boolean };

/** One change of the stock, as it is remembered. */
export interface StockChange extends Origin {
  /**
   * That of the stock after the change, and of the item: the time of the change in microseconds since the epoch,
   * or one more than the version before where that is greater. So the versions of all changes ascend.
   */
  readonly version: bigint;
  readonly petId: bigint;
  /** Undefined when the pet was added. */
  readonly quantityBefore: number | undefined;
  /** Undefined when the pet was removed. */
  readonly quantityAfter: number | undefined;
  /** After the change; undefined when the pet was removed. */
  readonly status: PetStatus | undefined;
  /** The item's version before the change; undefined when the pet was added. */
  readonly previousVersion: bigint | undefined;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

/** How much of the history is kept. Both limits hold. */
export interface HistoryLimits {
  /** Changes. There may be a few more: {@link historySlack}, and the rest of an entry. */
  readonly length: number;
  /** Age in milliseconds. What is older goes as further changes are made. */
  readonly ageMs: number;
}

/**
 * Changes that one entry of the history has at most. The changes of one request share entries, which are
 * removed as a whole.
 */
export const changesInEntry = 50;

/** Changes by which the history may be longer than its limit before it is cut to it. */
export const historySlack = 100;

/** Entries that one command removes at most, more than one request can append. */
export const mostTrimmedAtOnce = 100;
