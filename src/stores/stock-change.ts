import { ChangeReason, type PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { dayMs } from "../common/durations.ts";

/** Why the stock is changed, by whom, and in which request. Unknown values are empty. */
export interface Origin {
  readonly reason: ChangeReason;
  /** Human-readable, at most 500 characters. */
  readonly note: string;
  /** An id in another system, such as an order or a delivery. At most 100 characters. */
  readonly reference: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly requestId: string;
}

/** The origin of a change without any information. */
export const unknownOrigin: Origin = {
  reason: ChangeReason.ADJUSTMENT,
  note: "",
  reference: "",
  accountId: "",
  keyId: "",
  requestId: "",
};

/** Conditions of a change. Undefined ones do not restrict it. */
export interface Conditions {
  /** The item's version must be one of these. An empty list refuses every version. */
  readonly expectedVersions?: readonly bigint[] | undefined;
  /** Versions that the item must not have. Ignored when {@link expectedVersions} is given. */
  readonly excludedVersions?: readonly bigint[] | undefined;
  /** The item's quantity must be this. */
  readonly expectedQuantity?: number | undefined;
}

/** How a repeated request is recognized. */
export interface Idempotency {
  /** Chosen by the client, 1 to 255 characters. Each account has its own keys. */
  readonly key: string;
  /** A hash of the request. No white space. */
  readonly fingerprint: string;
}

/** How long the outcome of a request with an idempotency key is stored, in milliseconds. */
export const outcomeTtlMs = dayMs;

/** The properties of a change that do not depend on what it changes. */
export interface ChangeRequest {
  readonly origin?: Origin | undefined;
  /** When it is set, the outcome is stored, and returned for a repeated request instead of another change. */
  readonly idempotency?: Idempotency | undefined;
}

/** Why a change of an item's quantity was not made. */
export type Refusal =
  | { readonly kind: "no_pet" }
  /** A condition did not hold. The values are those of the item. */
  | {
      readonly kind: "version_mismatch" | "quantity_mismatch";
      readonly version: bigint;
      readonly quantity: number;
    }
  /** The result would be below 0. The value is that of the item. */
  | { readonly kind: "too_small"; readonly quantity: number }
  /** The result and the units that are held would be above the largest quantity. The quantity is that of the item. */
  | { readonly kind: "too_large"; readonly quantity: number; readonly held: number };

/** Why the count of a pet was not recorded. */
export type CountRefusal =
  | { readonly kind: "no_pet" }
  /** Quantity and held units together are not the expected number. */
  | { readonly kind: "on_hand_mismatch"; readonly onHand: number }
  /** Fewer units were counted than are held. */
  | { readonly kind: "below_held"; readonly held: number };

/** The idempotency key was used with another request. */
export interface KeyReused {
  readonly kind: "key_reused";
}

/** The outcome of a request. `replayed`: it was stored for an earlier request with the same idempotency key. */
export type Outcome<T> = (T | KeyReused) & { readonly replayed: boolean };

export interface StockChange extends Origin {
  /**
   * The version of the stock and of the item after the change: its time in microseconds since the epoch, plus a lead that
   * grows with each run of a Redis server (see change.lua), or the previous version plus one. So versions always increase.
   */
  readonly version: bigint;
  readonly petId: bigint;
  /** Undefined when the pet was added. */
  readonly quantityBefore: number | undefined;
  /** Undefined when the pet was removed. */
  readonly quantityAfter: number | undefined;
  /** Undefined when the pet was added. */
  readonly statusBefore: PetStatus | undefined;
  /** After the change; undefined when the pet was removed. */
  readonly status: PetStatus | undefined;
  /** The item's version before the change; undefined when the pet was added. */
  readonly previousVersion: bigint | undefined;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

/** Limits of the history. Both apply. */
export interface HistoryLimits {
  /** The most changes. The history may have {@link historySlack} more, and the rest of an entry. */
  readonly length: number;
  /** The oldest age, in milliseconds. Older changes are removed when new ones are made. */
  readonly ageMs: number;
}

/** The most changes in one entry of the history. The changes of one request share entries, which are removed as a whole. */
export const changesInEntry = 50;

/** How many changes the history may have beyond its limit before it is trimmed. */
export const historySlack = 100;

/** The most entries that one command removes. It is more than one request can append. */
export const mostTrimmedAtOnce = 100;

/** Reads the changes of the stock as they are made. Calls must not overlap. */
export interface ChangeReader {
  /**
   * Waits for changes after a version, for at most {@link changeWaitMs}, and not in the first call. Returns earlier after a
   * revocation.
   *
   * @returns the changes after the version, oldest first, without a gap; an empty list when there are none; undefined when
   * the history no longer has all of them, or does not have the version
   * @throws ConnectError unavailable; the call can be repeated
   */
  next(version: bigint): Promise<readonly StockChange[] | undefined>;
  close(): void;
}

/**
 * Learns from a reader of changes which keys were revoked, or expire at another time, since its first call of `next`, before
 * `next` returns a change that was made after the revocation was acknowledged.
 *
 * @param id a key, or an account for all of its keys; undefined if any key may have been revoked
 */
export type OnRevoked = (id: string | undefined) => void;

/** Most changes that one call of {@link ChangeReader.next} returns. */
export const mostChangesAtOnce = 100;

/** How long a reader waits for changes, in milliseconds. */
export const changeWaitMs = 1_000;
