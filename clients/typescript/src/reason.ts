// Generated from src/contract/errors.ts by clients/generate-reasons.ts. Do not edit.

/** Why the service refused a call. */
export type Reason =
  /** No API key was sent. */
  | "KEY_MISSING"
  /** The API key is malformed, or no such key exists. */
  | "KEY_INVALID"
  /** The API key was revoked. */
  | "KEY_REVOKED"
  /** The API key has expired. */
  | "KEY_EXPIRED"
  /** An operator has disabled the account of the API key. */
  | "ACCOUNT_DISABLED"
  /** The API key lacks a scope that the operation needs. */
  | "SCOPE_MISSING"
  /** The account's limit per minute or per day is reached. */
  | "RATE_LIMITED"
  /** The batch counts as more requests than the account's limit. Do not retry it: send fewer items at once. */
  | "BATCH_OVER_LIMIT"
  /** The API key is banned for some time because it repeated refused requests without waiting. */
  | "KEY_BANNED"
  /** Too many requests without a valid API key came from the client's address. */
  | "ADDRESS_LIMITED"
  /** A field of the request is missing or out of bounds. */
  | "FIELD_INVALID"
  /** The pet is not in the inventory. */
  | "PET_NOT_FOUND"
  /** The pet is in the inventory already. */
  | "PET_EXISTS"
  /** The account does not have this order. */
  | "ORDER_NOT_FOUND"
  /** The account does not exist. */
  | "ACCOUNT_NOT_FOUND"
  /** An API key cannot disable or delete its own account. Use a key of another account. */
  | "OWN_ACCOUNT"
  /** The API key does not exist. */
  | "KEY_NOT_FOUND"
  /** The stock is smaller than the quantity to be removed. */
  | "STOCK_TOO_SMALL"
  /** The stock would exceed the largest quantity, 2147483647. */
  | "STOCK_TOO_LARGE"
  /** The item's version does not match the conditions of the request. */
  | "VERSION_MISMATCH"
  /** The item's quantity is not the expected one. */
  | "QUANTITY_MISMATCH"
  /** Another request with the same idempotency key is in progress. */
  | "IDEMPOTENCY_KEY_IN_USE"
  /** The idempotency key was used with another request in the last 24 hours. */
  | "IDEMPOTENCY_KEY_REUSED"
  /** The order's status does not allow the change. */
  | "ORDER_STATUS"
  /** The API key was revoked or has expired. */
  | "KEY_NOT_VALID"
  /** The account has the maximum number of API keys. Revoke one first. */
  | "TOO_MANY_KEYS"
  /** A health check names an unknown service. */
  | "SERVICE_UNKNOWN"
  /** Too many health watches are open. gRPC clients then treat the server as healthy. */
  | "HEALTH_WATCH_LIMIT_REACHED"
  /** The store cannot be reached, or does not respond in time. Retry later. */
  | "STORE_UNAVAILABLE"
  /** The server has more requests or streams than it can serve in time. The request had no effect. Retry later. */
  | "SERVER_OVERLOADED"
  /** The server is shutting down, or it ends the connection because of its age. Reconnect to reach another instance. */
  | "SERVER_DRAINING"
  /** The history no longer has all changes since the resume token. Watch without a token. */
  | "WATCH_EXPIRED"
  /** The client of a watch is too many changes behind, because it reads too slowly. */
  | "WATCH_TOO_SLOW"
  /** The API key (MAX_WATCHES_PER_KEY) or the account (MAX_WATCHES_PER_ACCOUNT) has too many open watches. Close one first. */
  | "WATCH_LIMIT_REACHED"
  /** The process has too many open watches (MAX_WATCHES). Retry later. */
  | "WATCH_CAPACITY_REACHED"
  /** The request does not follow the protocol or the API definition. */
  | "MESSAGE_INVALID"
  /** The message is larger than MAX_BODY_BYTES, or MAX_BATCH_BODY_BYTES for a batch. */
  | "MESSAGE_TOO_LARGE"
  /** The method does not exist, or does not support this kind of call. */
  | "NOT_SUPPORTED"
  /** The deadline of the request has passed. */
  | "DEADLINE_EXCEEDED"
  /** The client has disconnected or cancelled the call. */
  | "CLIENT_LEFT"
  /** The server has a bug, or cannot encode the response. The server log has the details. */
  | "INTERNAL";
