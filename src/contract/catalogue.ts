import { Code } from "@connectrpc/connect";
import { type ErrorKind, genericErrors } from "connect-gateway/rest";

/** Part of the messages about a stock that is too large. */
export const exceedLargestQuantity = "exceed the largest quantity, 2147483647";

/** The field of a count whose mismatch has another status than other mismatches of a quantity. */
export const expectedOnHand = "expected_on_hand";

/** Returns errors that have the same code, from what says when each occurs. */
function withCode<R extends string>(
  code: Code,
  whens: Readonly<Record<R, string>>,
): Record<R, ErrorKind & { readonly code: Code }> {
  const kinds = Object.entries(whens).map(([reason, when]) => [reason, { code, when }]);
  return Object.fromEntries(kinds);
}

/**
 * All errors of the service, by reason. The reason is stable. Programs find it in the header `X-Error-Reason`, and in
 * the google.rpc.ErrorInfo of every RPC error. `docs/caller/errors.md` and the clients are made from this table.
 */
export const catalogue = {
  ...withCode(Code.Unauthenticated, {
    KEY_MISSING: "No API key was sent.",
    KEY_INVALID: "The API key is malformed, or no such key exists.",
    KEY_REVOKED: "The API key was revoked.",
    KEY_EXPIRED: "The API key has expired.",
  }),
  ...withCode(Code.PermissionDenied, {
    ACCOUNT_DISABLED: "An operator has disabled the account of the API key.",
    SCOPE_MISSING: "The API key lacks a scope that the operation needs.",
    ADDRESS_NOT_ALLOWED: "The API key cannot be used from the client's address.",
  }),
  ...withCode(Code.ResourceExhausted, {
    RATE_LIMITED: "The account's limit per minute or per day is reached.",
    BATCH_OVER_LIMIT:
      "The batch counts as more requests than the account's limit. Do not retry it: send fewer items at once.",
    KEY_BANNED:
      "The API key is banned for some time because it repeated refused requests without waiting.",
    ADDRESS_LIMITED: "Too many requests without a valid API key came from the client's address.",
    ORDER_LIMIT_REACHED:
      "The account would have too many open orders. Nothing was changed. Cancel some, or have some delivered, first.",
    HOLD_LIMIT_REACHED:
      "The account has the maximum number of active holds. Confirm or release one first.",
    WATCH_TOO_SLOW:
      "The client of a watch is too many changes behind, because it reads too slowly.",
    WATCH_LIMIT_REACHED:
      "The API key (`MAX_WATCHES_PER_KEY`) or the account (`MAX_WATCHES_PER_ACCOUNT`) has too many open watches. Close one first.",
  }),
  ...withCode(Code.NotFound, {
    PET_NOT_FOUND: "The pet is not in the inventory.",
    ORDER_NOT_FOUND: "The account does not have this order.",
    HOLD_NOT_FOUND: "The account does not have this hold.",
    ACCOUNT_NOT_FOUND: "The account does not exist.",
    KEY_NOT_FOUND: "The API key does not exist.",
    SERVICE_UNKNOWN: "A health check names an unknown service.",
  }),
  ...withCode(Code.AlreadyExists, {
    PET_EXISTS: "The pet is in the inventory already.",
    SKU_TAKEN: "Another pet has the SKU.",
  }),
  ...withCode(Code.FailedPrecondition, {
    PET_HELD: "The pet cannot be removed while units of it are held.",
    HOLD_ENDED: "The hold is confirmed, was released or has expired, so the call is not possible.",
    OWN_ACCOUNT:
      "An API key cannot disable or delete its own account. Use a key of another account.",
    STOCK_TOO_SMALL: "The stock is smaller than the quantity to be removed.",
    STOCK_TOO_LARGE: `The stock would ${exceedLargestQuantity}.`,
    COUNT_BELOW_HELD: "Fewer units were counted than are held. Release holds, or count again.",
    ORDER_STATUS: "The order's status does not allow the change.",
    KEY_NOT_VALID: "The API key to be rotated was revoked or has expired.",
    TOO_MANY_KEYS: "The account has the maximum number of API keys. Revoke one first.",
  }),
  VERSION_MISMATCH: {
    code: Code.Aborted,
    when: "The version does not match the conditions of the request, such as `If-Match`.",
    status: 412,
  },
  ...withCode(Code.Aborted, {
    QUANTITY_MISMATCH:
      "The item's quantity is not the expected one. Over HTTP, a count has the status 412.",
    IDEMPOTENCY_KEY_IN_USE: "Another request with the same idempotency key is in progress.",
  }),
  CONDITION_REQUIRED: {
    code: Code.FailedPrecondition,
    when: "The account's write policy is strict: the request must say which version or quantity it expects.",
    status: 428,
  },
  IDEMPOTENCY_KEY_REQUIRED: {
    code: Code.FailedPrecondition,
    when: "The account's write policy is strict: the request needs an idempotency key.",
    status: 428,
  },
  IDEMPOTENCY_KEY_REUSED: {
    code: Code.FailedPrecondition,
    when: "The idempotency key was used with another request in the last 24 hours.",
    status: 422,
  },
  ...withCode(Code.Unimplemented, {
    HEALTH_WATCH_LIMIT_REACHED:
      "Too many health watches are open. gRPC clients then treat the server as healthy.",
  }),
  ...withCode(Code.Unavailable, {
    STORE_UNAVAILABLE: "The database cannot be reached, or does not respond in time. Retry later.",
    STORE_FULL:
      "The memory of the database is full. The request was not applied. Requests that read, cancel, release or delete still succeed.",
    SERVER_OVERLOADED:
      "The server has more requests or streams than it can serve in time. The request had no effect. Retry later.",
    SERVER_DRAINING:
      "The server is shutting down, or it ends the connection because of its age. Reconnect to reach another instance.",
  }),
  WATCH_EXPIRED: {
    code: Code.OutOfRange,
    when: "The history no longer has all changes since the resume token. Watch without a token.",
    status: 410,
  },
  WATCH_CAPACITY_REACHED: {
    code: Code.ResourceExhausted,
    when: "The process has too many open watches (`MAX_WATCHES`). Retry later.",
    status: 503,
  },
  ...genericErrors,
  MESSAGE_TOO_LARGE: {
    ...genericErrors.MESSAGE_TOO_LARGE,
    when: "The message is larger than `MAX_BODY_BYTES`, or than 262,144 bytes for a batch.",
  },
  HEADER_FIELDS_TOO_LARGE: {
    ...genericErrors.HEADER_FIELDS_TOO_LARGE,
    when: "The URL and the headers together are larger than `MAX_HEADER_BYTES`. Over HTTP/2, each header counts 32 bytes more, and the stream may be reset with `ENHANCE_YOUR_CALM` instead.",
  },
} as const satisfies Readonly<Record<string, ErrorKind>>;

export type Reason = keyof typeof catalogue;

/** The reasons that occur over RPC. */
export type RpcReason = {
  [R in Reason]: (typeof catalogue)[R] extends { code: Code } ? R : never;
}[Reason];

/** The reasons that occur over RPC, in the order of the catalogue. */
export const rpcReasons = (Object.keys(catalogue) as Reason[]).filter(
  (reason): reason is RpcReason => "code" in catalogue[reason],
);
