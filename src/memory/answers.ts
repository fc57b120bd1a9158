import { answerKeptMs, type Idempotency, type Outcome } from "../inventory/stock-change.ts";
import type { Stock } from "./stock.ts";

/** The answer to a request with an idempotency key. */
export interface RememberedAnswer {
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  readonly fingerprint: string;
  readonly outcome: object;
}

/** Decides on a request, unless that was done before: then the outcome is the remembered one. */
export function answerOnce<T extends object>(
  { answers, now }: Stock,
  accountId: string,
  idempotency: Idempotency | undefined,
  decide: () => T,
): Outcome<T> {
  if (!idempotency) return { ...decide(), replayed: false };
  const { key, fingerprint } = idempotency;
  const place = `${accountId} ${key}`;
  const time = now();
  forgetOld(answers, time);
  const known = answers.get(place);
  if (known && time - known.madeAt < answerKeptMs) {
    if (known.fingerprint !== fingerprint) return { kind: "key_reused", replayed: false };
    return { ...(known.outcome as T), replayed: true };
  }
  const outcome = decide();
  answers.delete(place);
  answers.set(place, { madeAt: time, fingerprint, outcome });
  return { ...outcome, replayed: false };
}

/** Not as soon as they may not be told any more: a clock that is set back a little brings them back. */
const forgottenAfterMs = 2 * answerKeptMs;

/** The oldest come first. */
function forgetOld(answers: Map<string, RememberedAnswer>, time: number): void {
  for (const [place, { madeAt }] of answers) {
    if (time - madeAt < forgottenAfterMs) return;
    answers.delete(place);
  }
}
