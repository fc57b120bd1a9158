import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CallOptions, Client } from "@connectrpc/connect";
import { type InventoryError, isUncertain, toInventoryError } from "./errors.js";
import type { Hold, PutHoldRequestSchema, StoreService } from "./gen/store/v1/store_pb.js";

/** The units to hold, and for how long. */
export type HoldRequest = MessageInitShape<typeof PutHoldRequestSchema>;

/** A confirmed hold, and what the callback returned. */
export interface ConfirmedHold<T> {
  /** The hold with its `orderIds`. */
  readonly hold: Hold;
  readonly value: T;
}

/**
 * The callback has returned, but its hold is not confirmed. If the reason is `HOLD_ENDED`, the units are for sale again.
 * After any other error they may be ordered: call `confirmHold` again, or read the hold.
 */
export class HoldNotConfirmedError extends Error {
  override readonly name = "HoldNotConfirmedError";
  override readonly cause: InventoryError;
  /** What the callback returned. */
  readonly value: unknown;

  constructor(holdId: string, cause: InventoryError, value: unknown) {
    super(`Hold ${holdId} is not confirmed: ${cause.message}`);
    this.cause = cause;
    this.value = value;
  }

  /** The reason of `cause`. */
  get reason(): InventoryError["reason"] {
    return this.cause.reason;
  }
}

/** Time for a release. The caller waits for it, and the units return at the end of the hold anyway. */
const releaseTimeoutMs = 5_000;

/** Holds units while a callback runs. Confirms the hold when it returns, and releases the hold when it throws. */
export async function withHold<T>(
  store: Client<typeof StoreService>,
  request: HoldRequest,
  callback: (hold: Hold) => T | Promise<T>,
  { signal, ...options }: CallOptions,
): Promise<ConfirmedHold<T>> {
  const { holdId = "" } = request;
  const release = () =>
    store.releaseHold({ holdId }, { ...options, timeoutMs: releaseTimeoutMs }).catch(() => {});
  let held: Hold | undefined;
  let value: T;
  try {
    ({ hold: held } = await store.putHold(request, { ...options, ...(signal && { signal }) }));
    value = await callback(held as Hold);
  } catch (error) {
    // After a refusal, the account may still have the hold from before.
    if (held || isUncertain(toInventoryError(error))) await release();
    throw error;
  }
  try {
    // The callback's work is done, so a cancellation comes too late.
    const { hold } = await store.confirmHold({ holdId }, options);
    return { hold: hold as Hold, value };
  } catch (error) {
    throw new HoldNotConfirmedError(holdId, toInventoryError(error), value);
  }
}
