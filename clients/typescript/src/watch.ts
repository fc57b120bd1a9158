import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import { type InventoryError, isLostConnection, toInventoryError } from "./errors.js";
import type { WatchInventoryResponse } from "./gen/inventory/v1/inventory_pb.js";
import { backoffMs, sleep } from "./retry.js";

/** What a watch sends. Heartbeats are not events. */
export type WatchEvent = Exclude<
  WatchInventoryResponse["event"],
  { case: "heartbeat" } | { case: undefined }
> & {
  /** Whether the whole stock follows: discard your copy before you apply this event. */
  readonly reset: boolean;
  /** Save it with your copy to continue later. Empty until the whole stock has arrived. */
  readonly resumeToken: string;
};

export interface WatchOptions {
  /** Continue after the event that had this token. */
  readonly resumeToken?: string;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
  /** Reconnect if neither an event nor a heartbeat arrives for this long, in milliseconds. The default is 45,000. */
  readonly idleTimeoutMs?: number;
  /** Called after each lost connection, before the client reconnects. */
  readonly onDisconnect?: (error: InventoryError) => void;
}

type Open = (resumeToken: string, options: CallOptions) => AsyncIterable<WatchInventoryResponse>;

/**
 * Yields the whole stock, then every change once and in order, over as many connections as that takes. Ends when the
 * signal is aborted or the loop is left. Throws if reconnecting cannot help, such as after the key was revoked.
 */
export async function* resumingWatch(
  open: Open,
  options: WatchOptions = {},
): AsyncGenerator<WatchEvent, void, undefined> {
  const { signal, idleTimeoutMs = 45_000 } = options;
  let resumeToken = options.resumeToken ?? "";
  let failures = 0;
  while (!signal?.aborted) {
    let reset = resumeToken === "";
    try {
      const connection = (own: AbortSignal) => open(resumeToken, { signal: own, timeoutMs: 0 });
      for await (const message of withIdleTimeout(connection, idleTimeoutMs, signal)) {
        failures = 0;
        resumeToken = message.resumeToken || resumeToken;
        const { event } = message;
        if (event.case === undefined || event.case === "heartbeat") continue;
        yield { ...event, reset, resumeToken };
        reset = false;
      }
      throw new ConnectError("The watch ended.", Code.Unavailable);
    } catch (thrown) {
      if (signal?.aborted) return;
      const error = toInventoryError(thrown);
      if (error.reason === "WATCH_EXPIRED") resumeToken = "";
      else if (!canReconnect(error)) throw error;
      options.onDisconnect?.(error);
      try {
        await sleep(Math.max(0, error.retryAfterMs ?? 0) + backoffMs(failures++), signal);
      } catch {
        return;
      }
    }
  }
}

function canReconnect(error: InventoryError): boolean {
  const { reason, code, retryAfterMs } = error;
  return (
    isLostConnection(error) ||
    reason === "WATCH_TOO_SLOW" ||
    code === Code.Unavailable ||
    (retryAfterMs !== undefined && retryAfterMs >= 0)
  );
}

/** Iterates over a connection. Cancels it if nothing arrives for some time. */
async function* withIdleTimeout(
  open: (signal: AbortSignal) => AsyncIterable<WatchInventoryResponse>,
  idleMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchInventoryResponse, void, undefined> {
  const connection = new AbortController();
  const abort = () => connection.abort();
  signal?.addEventListener("abort", abort, { once: true });
  let timer = setTimeout(abort, idleMs);
  try {
    for await (const message of open(connection.signal)) {
      clearTimeout(timer);
      yield message;
      timer = setTimeout(abort, idleMs);
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    connection.abort();
  }
}
