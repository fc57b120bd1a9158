import type { ConnectError } from "@connectrpc/connect";
import { errorWith, retryAfter, serviceError } from "../../contract/errors.ts";

/** The history no longer has all changes that a client has missed. */
export function watchExpired(): ConnectError {
  const text =
    "The history no longer has all changes since the resume token. Watch again without a token.";
  return serviceError("WATCH_EXPIRED", text);
}

/** @param most the number of changes that a client may be behind */
export function watchTooSlow(most: number): ConnectError {
  const text = `The client is more than ${most} changes behind. Watch again with the last resume token, and read faster.`;
  return errorWith("WATCH_TOO_SLOW", text, { most });
}

const watchSettings = { key: "MAX_WATCHES_PER_KEY", account: "MAX_WATCHES_PER_ACCOUNT" };

/** The caller has too many open watches. Waiting does not help: the caller must close one. */
export function watchLimitReached(holder: "key" | "account", most: number): ConnectError {
  const owner = holder === "key" ? "The API key" : "The account";
  const setting = watchSettings[holder];
  const text = `${owner} has ${most} open watches, the most allowed (${setting}). Close one, or share one watch between its readers.`;
  return errorWith("WATCH_LIMIT_REACHED", text, { setting, most });
}

/** How long a caller should wait before it tries again to open a watch on a full process, in seconds. */
const fullRetrySeconds = 5;

/** The process has as many open watches as it can serve, or as the account may have of the places that are left. */
export function watchCapacityReached(most: number): ConnectError {
  return serviceError(
    "WATCH_CAPACITY_REACHED",
    `This server process has no place for another watch of this account (MAX_WATCHES is ${most}). Retry in ${fullRetrySeconds} s.`,
    {
      ...retryAfter(fullRetrySeconds),
      metadata: { setting: "MAX_WATCHES", most: String(most) },
    },
  );
}
