import { Code } from "@connectrpc/connect";
import { type ErrorKind, genericErrors } from "connect-gateway/rest";

/** Part of the messages about a stock that is too large. */
export const exceedLargestQuantity = "exceed the largest quantity, 2147483647";

/** The field of a count whose mismatch has another status than other mismatches of a quantity. */
export const expectedOnHand = "expected_on_hand";

/**
 * All errors of the service, by reason. The reason is stable. Programs find it in the header `X-Error-Reason`, and in
 * the google.rpc.ErrorInfo of every RPC error. `docs/caller/errors.md` and the clients are made from this table.
 */
export const catalogue = {
  KEY_MISSING: { code: Code.Unauthenticated, when: "No API key was sent." },
  KEY_INVALID: {
    code: Code.Unauthenticated,
    when: "The API key is malformed, or no such key exists.",
  },
  KEY_REVOKED: { code: Code.Unauthenticated, when: "The API key was revoked." },
  KEY_EXPIRED: { code: Code.Unauthenticated, when: "The API key has expired." },
  ACCOUNT_DISABLED: {
    code: Code.PermissionDenied,
    when: "An operator has disabled the account of the API key.",
  },
  SCOPE_MISSING: {
    code: Code.PermissionDenied,
    when: "The API key lacks a scope that the operation needs.",
  },
  ADDRESS_NOT_ALLOWED: {
    code: Code.PermissionDenied,
    when: "The API key cannot be used from the client's address.",
  },
  RATE_LIMITED: {
    code: Code.ResourceExhausted,
    when: "The account's limit per minute or per day is reached.",
  },
  BATCH_OVER_LIMIT: {
    code: Code.ResourceExhausted,
    when: "The batch counts as more requests than the account's limit. Do not retry it: send fewer items at once.",
  },
  KEY_BANNED: {
    code: Code.ResourceExhausted,
    when: "The API key is banned for some time because it repeated refused requests without waiting.",
  },
  ADDRESS_LIMITED: {
    code: Code.ResourceExhausted,
    when: "Too many requests without a valid API key came from the client's address.",
  },
  PET_NOT_FOUND: { code: Code.NotFound, when: "The pet is not in the inventory." },
  PET_EXISTS: { code: Code.AlreadyExists, when: "The pet is in the inventory already." },
  SKU_TAKEN: { code: Code.AlreadyExists, when: "Another pet has the SKU." },
  PET_HELD: {
    code: Code.FailedPrecondition,
    when: "The pet cannot be removed while units of it are held.",
  },
  ORDER_NOT_FOUND: { code: Code.NotFound, when: "The account does not have this order." },
  ORDER_LIMIT_REACHED: {
    code: Code.ResourceExhausted,
    when: "The account would have too many open orders. Nothing was changed. Cancel some, or have some delivered, first.",
  },
  HOLD_NOT_FOUND: { code: Code.NotFound, when: "The account does not have this hold." },
  HOLD_ENDED: {
    code: Code.FailedPrecondition,
    when: "The hold is confirmed, was released or has expired, so the call is not possible.",
  },
  HOLD_LIMIT_REACHED: {
    code: Code.ResourceExhausted,
    when: "The account has the maximum number of active holds. Confirm or release one first.",
  },
  ACCOUNT_NOT_FOUND: { code: Code.NotFound, when: "The account does not exist." },
  OWN_ACCOUNT: {
    code: Code.FailedPrecondition,
    when: "An API key cannot disable or delete its own account. Use a key of another account.",
  },
  KEY_NOT_FOUND: { code: Code.NotFound, when: "The API key does not exist." },
  STOCK_TOO_SMALL: {
    code: Code.FailedPrecondition,
    when: "The stock is smaller than the quantity to be removed.",
  },
  STOCK_TOO_LARGE: {
    code: Code.FailedPrecondition,
    when: `The stock would ${exceedLargestQuantity}.`,
  },
  VERSION_MISMATCH: {
    code: Code.Aborted,
    when: "The version does not match the conditions of the request, such as `If-Match`.",
    status: 412,
  },
  QUANTITY_MISMATCH: {
    code: Code.Aborted,
    when: "The item's quantity is not the expected one. Over HTTP, a count has the status 412.",
  },
  COUNT_BELOW_HELD: {
    code: Code.FailedPrecondition,
    when: "Fewer units were counted than are held. Release holds, or count again.",
  },
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
  IDEMPOTENCY_KEY_IN_USE: {
    code: Code.Aborted,
    when: "Another request with the same idempotency key is in progress.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    code: Code.FailedPrecondition,
    when: "The idempotency key was used with another request in the last 24 hours.",
    status: 422,
  },
  ORDER_STATUS: {
    code: Code.FailedPrecondition,
    when: "The order's status does not allow the change.",
  },
  KEY_NOT_VALID: {
    code: Code.FailedPrecondition,
    when: "The API key to be rotated was revoked or has expired.",
  },
  TOO_MANY_KEYS: {
    code: Code.FailedPrecondition,
    when: "The account has the maximum number of API keys. Revoke one first.",
  },
  SERVICE_UNKNOWN: { code: Code.NotFound, when: "A health check names an unknown service." },
  HEALTH_WATCH_LIMIT_REACHED: {
    code: Code.Unimplemented,
    when: "Too many health watches are open. gRPC clients then treat the server as healthy.",
  },
  STORE_UNAVAILABLE: {
    code: Code.Unavailable,
    when: "The database cannot be reached, or does not respond in time. Retry later.",
  },
  STORE_FULL: {
    code: Code.Unavailable,
    when: "The memory of the database is full. The request was not applied. Requests that read, cancel, release or delete still succeed.",
  },
  SERVER_OVERLOADED: {
    code: Code.Unavailable,
    when: "The server has more requests or streams than it can serve in time. The request had no effect. Retry later.",
  },
  SERVER_DRAINING: {
    code: Code.Unavailable,
    when: "The server is shutting down, or it ends the connection because of its age. Reconnect to reach another instance.",
  },
  WATCH_EXPIRED: {
    code: Code.OutOfRange,
    when: "The history no longer has all changes since the resume token. Watch without a token.",
    status: 410,
  },
  WATCH_TOO_SLOW: {
    code: Code.ResourceExhausted,
    when: "The client of a watch is too many changes behind, because it reads too slowly.",
  },
  WATCH_LIMIT_REACHED: {
    code: Code.ResourceExhausted,
    when: "The API key (`MAX_WATCHES_PER_KEY`) or the account (`MAX_WATCHES_PER_ACCOUNT`) has too many open watches. Close one first.",
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

/** The reasons of the catalogue. */
export type Reason = keyof typeof catalogue;

/** The reasons that occur over RPC. */
export type RpcReason = {
  [R in Reason]: (typeof catalogue)[R] extends { code: Code } ? R : never;
}[Reason];

/** The reasons that occur over RPC, in the order of the catalogue. */
export const rpcReasons = (Object.keys(catalogue) as Reason[]).filter(
  (reason): reason is RpcReason => "code" in catalogue[reason],
);
