import type { FieldsOf } from "../../observability/log/lines.ts";
import { CommandError } from "../command-error.ts";
import type { HoldFor } from "./follow.ts";
import { attemptMs, type Message, type Send } from "./webhook.ts";

interface DeliveryOptions {
  readonly send: Send;
  readonly onAttempt: (result: "delivered" | "failed") => void;
  /** Called with each failed attempt: its number, 1 for the first, and the time until the next one, in milliseconds. */
  readonly onFailure: (failure: FieldsOf<"relayFailed">) => void;
  /** Waits, in milliseconds. @throws if the relay ends in the meantime */
  readonly pause: (ms: number) => Promise<unknown>;
  /** Returns a number from 0 to 1. */
  readonly random?: () => number;
}

/** Delay after the first failure, and the longest, in milliseconds. */
const delayMs = { first: 1_000, most: 300_000 };

/** How much longer than an attempt the lease must last, in milliseconds. */
const leaseMarginMs = 1_000;

/**
 * Makes a function that delivers a message, and tries again until the receiver has it. Each delay is twice as long as the one
 * before, less up to half of it by chance, so that relays do not come together. The function throws CommandError gone if the
 * receiver wants no more messages.
 */
export function createDelivery({
  send,
  onAttempt,
  onFailure,
  pause,
  random = Math.random,
}: DeliveryOptions) {
  return async (message: Message, holdFor: HoldFor): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      await holdFor(attemptMs + leaseMarginMs);
      const outcome = await send(message);
      onAttempt(outcome === "delivered" ? "delivered" : "failed");
      if (outcome === "delivered") return;
      if (outcome === "gone") {
        throw new CommandError(
          "gone",
          `the receiver wants no more changes: it has responded 410 to version ${message.id}. Remove the relay, or start it again when the receiver wants them`,
        );
      }
      const longest = Math.min(delayMs.first * 2 ** (attempt - 1), delayMs.most);
      const own = Math.round(longest * (1 - random() / 2));
      const waitMs = Math.max(own, outcome.retryAfterMs);
      onFailure({ version: message.id, attempt, reason: outcome.reason, delayMs: waitMs });
      await pause(waitMs);
    }
  };
}
