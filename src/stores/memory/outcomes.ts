import { type Idempotency, type Outcome, outcomeTtlMs } from "../stock-change.ts";
import type { Stock } from "./stock.ts";

/** The stored outcome of a request with an idempotency key. */
export interface StoredOutcome {
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  readonly fingerprint: string;
  readonly outcome: object;
}

/** Decides on a request, or returns the stored outcome if the request was decided before. */
export function decideOnce<T extends object>(
  { outcomes, now }: Stock,
  accountId: string,
  idempotency: Idempotency | undefined,
  decide: () => T,
): Outcome<T> {
  if (!idempotency) return { ...decide(), replayed: false };
  const { key, fingerprint } = idempotency;
  const place = `${accountId} ${key}`;
  const time = now();
  deleteExpired(outcomes, time);
  const known = outcomes.get(place);
  if (known && time - known.madeAt < outcomeTtlMs) {
    if (known.fingerprint !== fingerprint) return { kind: "key_reused", replayed: false };
    return { ...(known.outcome as T), replayed: true };
  }
  const outcome = decide();
  outcomes.delete(place);
  outcomes.set(place, { madeAt: time, fingerprint, outcome });
  return { ...outcome, replayed: false };
}

/** Outcomes are deleted later than they expire, because a clock that is set back a little makes them valid again. */
const forgottenAfterMs = 2 * outcomeTtlMs;

/** Deletes old outcomes. The oldest come first in the map. */
function deleteExpired(outcomes: Map<string, StoredOutcome>, time: number): void {
  for (const [place, { madeAt }] of outcomes) {
    if (time - madeAt < forgottenAfterMs) return;
    outcomes.delete(place);
  }
}
