import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type BadRequest_FieldViolation,
  BadRequestSchema,
  ErrorInfoSchema,
  QuotaFailureSchema,
  RetryInfoSchema,
} from "../../gen/google/rpc/error_details_pb.ts";
import { memoize, once } from "../call/memoize.ts";
import { abridge } from "../call/quote.ts";

/** Part of the messages about a stock that is too large. */
const exceedLargestQuantity = "exceed the largest quantity, 2147483647";

/**
 * All errors of the service, by reason: the code, when the error occurs, and the HTTP status if it is not that of the
 * code. The reason is stable. Programs find it in the google.rpc.ErrorInfo of every RPC error.
 */
export const catalogue = {
  KEY_MISSING: [Code.Unauthenticated, "No API key was sent."],
  KEY_INVALID: [Code.Unauthenticated, "The API key is malformed, or no such key exists."],
  KEY_REVOKED: [Code.Unauthenticated, "The API key was revoked."],
  KEY_EXPIRED: [Code.Unauthenticated, "The API key has expired."],
  ACCOUNT_DISABLED: [Code.PermissionDenied, "An operator has disabled the account of the API key."],
  SCOPE_MISSING: [Code.PermissionDenied, "The API key lacks a scope that the operation needs."],
  RATE_LIMITED: [Code.ResourceExhausted, "The account's limit per minute or per day is reached."],
  BATCH_OVER_LIMIT: [
    Code.ResourceExhausted,
    "The batch counts as more requests than the account's limit. Do not retry it: send fewer items at once.",
  ],
  KEY_BANNED: [
    Code.ResourceExhausted,
    "The API key is banned for some time because it repeated refused requests without waiting.",
  ],
  ADDRESS_LIMITED: [
    Code.ResourceExhausted,
    "Too many requests without a valid API key came from the client's address.",
  ],
  FIELD_INVALID: [Code.InvalidArgument, "A field of the request is missing or out of bounds."],
  PET_NOT_FOUND: [Code.NotFound, "The pet is not in the inventory."],
  PET_EXISTS: [Code.AlreadyExists, "The pet is in the inventory already."],
  ORDER_NOT_FOUND: [Code.NotFound, "The account does not have this order."],
  ACCOUNT_NOT_FOUND: [Code.NotFound, "The account does not exist."],
  OWN_ACCOUNT: [
    Code.FailedPrecondition,
    "An API key cannot disable or delete its own account. Use a key of another account.",
  ],
  KEY_NOT_FOUND: [Code.NotFound, "The API key does not exist."],
  STOCK_TOO_SMALL: [
    Code.FailedPrecondition,
    "The stock is smaller than the quantity to be removed.",
  ],
  STOCK_TOO_LARGE: [Code.FailedPrecondition, `The stock would ${exceedLargestQuantity}.`],
  VERSION_MISMATCH: [
    Code.Aborted,
    "The item's version does not match the conditions of the request.",
    412,
  ],
  QUANTITY_MISMATCH: [Code.Aborted, "The item's quantity is not the expected one."],
  IDEMPOTENCY_KEY_IN_USE: [
    Code.Aborted,
    "Another request with the same idempotency key is in progress.",
  ],
  IDEMPOTENCY_KEY_REUSED: [
    Code.FailedPrecondition,
    "The idempotency key was used with another request in the last 24 hours.",
    422,
  ],
  ORDER_STATUS: [Code.FailedPrecondition, "The order's status does not allow the change."],
  KEY_NOT_VALID: [Code.FailedPrecondition, "The API key was revoked or has expired."],
  TOO_MANY_KEYS: [
    Code.FailedPrecondition,
    "The account has the maximum number of API keys. Revoke one first.",
  ],
  SERVICE_UNKNOWN: [Code.NotFound, "A health check names an unknown service."],
  HEALTH_WATCH_LIMIT_REACHED: [
    Code.Unimplemented,
    "Too many health watches are open. gRPC clients then treat the server as healthy.",
  ],
  STORE_UNAVAILABLE: [
    Code.Unavailable,
    "The store cannot be reached, or does not respond in time. Retry later.",
  ],
  SERVER_OVERLOADED: [
    Code.Unavailable,
    "The server has more requests or streams than it can serve in time. The request had no effect. Retry later.",
  ],
  SERVER_DRAINING: [
    Code.Unavailable,
    "The server is shutting down, or it ends the connection because of its age. Reconnect to reach another instance.",
  ],
  WATCH_EXPIRED: [
    Code.OutOfRange,
    "The history no longer has all changes since the resume token. Watch without a token.",
    410,
  ],
  WATCH_TOO_SLOW: [
    Code.ResourceExhausted,
    "The client of a watch is too many changes behind, because it reads too slowly.",
  ],
  WATCH_LIMIT_REACHED: [
    Code.ResourceExhausted,
    "The API key (`MAX_WATCHES_PER_KEY`) or the account (`MAX_WATCHES_PER_ACCOUNT`) has too many open watches. Close one first.",
  ],
  WATCH_CAPACITY_REACHED: [
    Code.ResourceExhausted,
    "The process has too many open watches (`MAX_WATCHES`). Retry later.",
    503,
  ],
  MESSAGE_INVALID: [
    Code.InvalidArgument,
    "The request does not follow the protocol or the API definition.",
  ],
  MESSAGE_TOO_LARGE: [
    Code.ResourceExhausted,
    "The message is larger than `MAX_BODY_BYTES`, or `MAX_BATCH_BODY_BYTES` for a batch.",
  ],
  NOT_SUPPORTED: [
    Code.Unimplemented,
    "The method does not exist, or does not support this kind of call.",
  ],
  DEADLINE_EXCEEDED: [Code.DeadlineExceeded, "The deadline of the request has passed."],
  CLIENT_LEFT: [Code.Canceled, "The client has disconnected or cancelled the call."],
  INTERNAL: [
    Code.Internal,
    "The server has a bug, or cannot encode the response. The server log has the details.",
  ],
} as const satisfies Record<string, readonly [Code, string] | readonly [Code, string, number]>;

/** The reasons of the catalogue. */
export type Reason = keyof typeof catalogue;

/** Domain of the ErrorInfo details. */
const errorDomain = "inventory";

interface Extras {
  readonly metadata?: Record<string, string>;
  readonly details?: readonly {
    desc: DescMessage;
    value: MessageInitShape<DescMessage>;
  }[];
  readonly headers?: Record<string, string>;
  readonly cause?: unknown;
}

/** Longest text of a request that an error quotes, in characters. gRPC sends errors in headers, which must be short. */
const longestQuote = 200;

function fail(reason: Reason, message: string, extras: Extras = {}): ConnectError {
  const info = {
    desc: ErrorInfoSchema,
    value: { reason, domain: errorDomain, metadata: extras.metadata ?? {} },
  };
  const details = [info, ...(extras.details ?? [])];
  const [code] = catalogue[reason];
  return withoutStack(() => new ConnectError(message, code, extras.headers, details, extras.cause));
}

/** Makes an error without a stack trace, which would be most of its cost. Its text says everything already. */
function withoutStack(make: () => ConnectError): ConnectError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Returns the reason of an error made by this service; undefined for any other error. */
export function reasonOf(error: ConnectError): string | undefined {
  const [first] = error.details;
  // The errors of this service have it as their first detail. Connect's search would encode and decode all of them.
  if (first && "desc" in first && first.desc === ErrorInfoSchema) {
    const { domain, reason } = first.value as MessageInitShape<typeof ErrorInfoSchema>;
    if (domain === errorDomain) return reason;
  }
  return error.findDetails(ErrorInfoSchema).find((info) => info.domain === errorDomain)?.reason;
}

/** The reasons of errors that the protocols make, by code. */
const protocolReasons: Partial<Record<Code, Reason>> = {
  [Code.InvalidArgument]: "MESSAGE_INVALID",
  [Code.ResourceExhausted]: "MESSAGE_TOO_LARGE",
  [Code.Unimplemented]: "NOT_SUPPORTED",
  [Code.DeadlineExceeded]: "DEADLINE_EXCEEDED",
  [Code.Canceled]: "CLIENT_LEFT",
};

/** Maps errors to HTTP: the reason, and the status if it is not that of the code. */
export const errorTerms = {
  statusOf(error: ConnectError): number | undefined {
    const reason = reasonOf(error);
    const entry: readonly [Code, string, number?] | undefined =
      reason === undefined ? undefined : catalogue[reason as Reason];
    return entry?.[2];
  },
  reasonOf: (error: ConnectError): string => reasonOf(error) ?? protocolReason(error),
};

function protocolReason({ code }: ConnectError): Reason {
  return protocolReasons[code] ?? "INTERNAL";
}

/** The message of protobuf-es for an invalid field of a JSON message. */
const jsonFieldError = /^cannot decode field (?<field>[\w.]+) from JSON: (?<description>.*)$/s;

/**
 * Returns the details that an error of an RPC protocol lacks: its reason, and the invalid field, if there is one.
 *
 * @returns an empty list for errors made by this service
 */
export function missingDetails(error: ConnectError): ConnectError["details"] {
  if (reasonOf(error) !== undefined) return [];
  const info = {
    desc: ErrorInfoSchema,
    value: { reason: protocolReason(error), domain: errorDomain },
  };
  const { field, description } = jsonFieldError.exec(error.rawMessage)?.groups ?? {};
  if (field === undefined || description === undefined) return [info];
  const violation = {
    field: field.slice(field.lastIndexOf(".") + 1),
    description: abridge(description, longestQuote),
  };
  return [info, { desc: BadRequestSchema, value: { fieldViolations: [violation] } }];
}

const challenge = 'Bearer realm="inventory"';

/**
 * Freezes an error, so that its encoded form is cached. Otherwise a flood of refused requests would build and encode
 * one error for each request. Data of a single request must not be part of such an error; it belongs in response
 * headers.
 */
function shared(error: ConnectError): ConnectError {
  Object.freeze(error.details);
  return Object.freeze(error);
}

const sharedOnce = (make: () => ConnectError) => once(() => shared(make()));

/** No API key was sent. The challenge has no error code (RFC 6750, section 3). */
export const keyMissing = sharedOnce(() =>
  fail("KEY_MISSING", "Send your API key in the header `Authorization: Bearer <API_KEY>`.", {
    headers: { "www-authenticate": challenge },
  }),
);

function keyRefused(reason: Reason, message: string): () => ConnectError {
  const headers = { "www-authenticate": `${challenge}, error="invalid_token"` };
  return sharedOnce(() => fail(reason, message, { headers }));
}

/** The API key is malformed, or does not exist. */
export const keyInvalid = keyRefused(
  "KEY_INVALID",
  "The API key is malformed or does not exist. Check that you copied all of it, or create a new one.",
);

/** The API key was revoked. */
export const keyRevoked = keyRefused("KEY_REVOKED", "The API key was revoked. Use another one.");

/** The API key has expired. */
export const keyExpired = keyRefused("KEY_EXPIRED", "The API key has expired. Use another one.");

/** The account of the API key is disabled. The key itself is valid, so there is no challenge. */
export const accountDisabled = sharedOnce(() =>
  fail(
    "ACCOUNT_DISABLED",
    "The account of the API key is disabled. Ask the operator of the service.",
  ),
);

/** Size of the cache of errors by wait. There are few different waits at a time. */
const maxWaits = 1_000;

/** The limits of the windows that are full, in requests. */
export type FullWindows = Readonly<Partial<Record<"minute" | "day", number>>>;

/**
 * Returns a function that makes the error for a wait in milliseconds. Callers that must wait the same number of seconds
 * for the same windows get the same error object.
 *
 * @param subject whose quota is exhausted, as google.rpc.QuotaFailure names it
 */
function retryLater(
  reason: Reason,
  message: string,
  subject: string,
): (waitMs: number, full?: FullWindows) => ConnectError {
  const make = ([seconds, full]: readonly [number, FullWindows]) => {
    const { headers, details } = retryAfter(seconds);
    const quotas = quotaFailure(subject, full);
    const extras = { headers, details: [...details, ...quotas] };
    return shared(fail(reason, `${message} Retry in ${seconds} s.`, extras));
  };
  const made = memoize((arguments_: string) => make(JSON.parse(arguments_)), maxWaits);
  return (waitMs, full = {}) => made(JSON.stringify([retrySeconds(waitMs), full]));
}

/** Returns the detail that names the full windows; no detail when no window is full. */
function quotaFailure(subject: string, full: FullWindows) {
  const violations = Object.entries(full).map(([window, limit]) => ({
    subject,
    description: `The limit of the ${subject} is ${limit} requests a ${window}.`,
    quotaMetric: "requests",
    quotaId: window,
    quotaValue: BigInt(limit),
  }));
  return violations.length > 0 ? [{ desc: QuotaFailureSchema, value: { violations } }] : [];
}

/** Returns the wait in seconds, rounded up, at least 1. A client that retries earlier would be refused again. */
function retrySeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** Returns the header and the detail with the time after which the client should retry. */
function retryAfter(seconds: number) {
  return {
    headers: { "retry-after": String(seconds) },
    details: [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(seconds * 1000) } }],
  };
}

/**
 * @param waitMs milliseconds until a request would be admitted
 * @param full the windows that are full
 */
export const rateLimited = retryLater(
  "RATE_LIMITED",
  "The account's request limit is reached.",
  "account",
);

/**
 * A batch counts as more requests than the account has left.
 *
 * @param requests the number of requests that the batch counts as
 * @param waitMs milliseconds until all of them would be admitted
 * @param full the windows that have fewer requests left
 */
export function batchLimited(requests: number, waitMs: number, full: FullWindows): ConnectError {
  const seconds = retrySeconds(waitMs);
  const { headers, details } = retryAfter(seconds);
  return fail(
    "RATE_LIMITED",
    `The batch counts as ${requests} requests, but the account has fewer left. Retry in ${seconds} s, or send fewer items.`,
    { headers, details: [...details, ...quotaFailure("account", full)] },
  );
}

/**
 * The account has no request left, so the body of a batch was not read. It can have too many items.
 *
 * @param mostItems the number of items of the largest batch within the limit
 * @param waitMs milliseconds until such a batch would be admitted
 * @param full the windows that have too few requests left
 * @param canFit false if the batch surely has too many items. Waiting does not help then, so the error has no
 * `Retry-After`
 */
export function batchUnknown(
  mostItems: number,
  waitMs: number,
  full: FullWindows,
  canFit: boolean,
): ConnectError {
  const seconds = retrySeconds(waitMs);
  const { headers, details } = canFit ? retryAfter(seconds) : { headers: {}, details: [] };
  return fail(
    "RATE_LIMITED",
    `The account's request limit is reached. In ${seconds} s a batch of up to ${mostItems} items fits. A larger one never does: split it.`,
    { headers, details: [...details, ...quotaFailure("account", full)] },
  );
}

/**
 * A batch counts as more requests than a whole limit. Waiting does not help, so the error has no `Retry-After`.
 *
 * @param requests the number of requests that the batch counts as
 * @param limit the account's limit, in requests
 * @param window `minute` or `day`
 * @param mostItems the number of items of the largest batch within the limit
 */
export function batchOverLimit(
  requests: number,
  limit: number,
  window: "minute" | "day",
  mostItems: number,
): ConnectError {
  return fail(
    "BATCH_OVER_LIMIT",
    `The batch counts as ${requests} requests, more than the account's limit of ${limit} a ${window}. Send at most ${mostItems} items at once.`,
    {
      metadata: { mostItems: String(mostItems) },
      details: quotaFailure("account", { [window]: limit }),
    },
  );
}

/**
 * @param waitMs milliseconds until the ban ends
 * @param full the windows that are full, if any
 */
export const keyBanned = retryLater(
  "KEY_BANNED",
  "The API key is banned for some time because it repeated refused requests without waiting.",
  "account",
);

/**
 * @param waitMs milliseconds until a request without a valid key gets 401 again
 * @param full the windows that are full
 */
export const addressLimited = retryLater(
  "ADDRESS_LIMITED",
  "Too many requests without a valid API key came from this address.",
  "client address",
);

/** @param scope the missing scope */
export function scopeMissing(scope: string): ConnectError {
  return fail("SCOPE_MISSING", `The API key lacks the scope \`${scope}\`. Use a key that has it.`, {
    metadata: { scope },
  });
}

/** Says what is wrong with a field. The path to the field is in proto names and begins at the request message. */
export type Violation = Pick<BadRequest_FieldViolation, "field" | "description">;

/**
 * Most violations that an error lists. Further ones are only counted, because gRPC clients do not accept long trailers.
 */
const mostViolations = 20;

/** @param violations at least one */
export function fieldsInvalid(violations: readonly Violation[]): ConnectError {
  const fieldViolations = violations.slice(0, mostViolations);
  const next = violations[mostViolations];
  if (next) {
    const [field = ""] = next.field.split(/[.[]/, 1);
    const more = violations.length - mostViolations;
    fieldViolations.push({ field, description: `${more} more values are not valid` });
  }
  return fail("FIELD_INVALID", violationsText(fieldViolations), {
    details: [{ desc: BadRequestSchema, value: { fieldViolations } }],
  });
}

/** The same for a single field. */
export function fieldInvalid(field: string, description: string): ConnectError {
  return fieldsInvalid([{ field, description }]);
}

function violationsText(violations: readonly Violation[]): string {
  return violations.map(({ field, description }) => `${field}: ${description}`).join("; ");
}

export function petNotFound(petId: bigint): ConnectError {
  return fail("PET_NOT_FOUND", `Pet ${petId} is not in the inventory.`, {
    metadata: { petId: String(petId) },
  });
}

export function petExists(petId: bigint): ConnectError {
  return fail("PET_EXISTS", `Pet ${petId} is in the inventory already.`, {
    metadata: { petId: String(petId) },
  });
}

export function orderNotFound(orderId: bigint): ConnectError {
  return fail("ORDER_NOT_FOUND", `Order ${orderId} does not exist.`, {
    metadata: { orderId: String(orderId) },
  });
}

export function accountNotFound(accountId: string): ConnectError {
  return fail("ACCOUNT_NOT_FOUND", `Account ${accountId} does not exist.`, {
    metadata: { accountId },
  });
}

/** @param change `disabled` or `deleted` */
export function ownAccount(accountId: string, change: "disabled" | "deleted"): ConnectError {
  return fail(
    "OWN_ACCOUNT",
    `Account ${accountId} cannot be ${change} with one of its own keys. Use a key of another account.`,
    { metadata: { accountId } },
  );
}

export function keyNotFound(keyId: string): ConnectError {
  return fail("KEY_NOT_FOUND", `Key ${keyId} does not exist.`, { metadata: { keyId } });
}

/**
 * @param wanted the quantity to be removed
 * @param available the quantity in stock
 */
export function stockTooSmall(petId: bigint, wanted: number, available: number): ConnectError {
  return fail(
    "STOCK_TOO_SMALL",
    `The stock of pet ${petId} is ${available}, less than the ${wanted} to be removed.`,
    { metadata: { petId: String(petId), available: String(available) } },
  );
}

/** @param available the quantity in stock */
export function adjustmentTooLarge(petId: bigint, delta: number, available: number): ConnectError {
  return fail(
    "STOCK_TOO_LARGE",
    `The stock of pet ${petId} is ${available}: adding ${delta} would ${exceedLargestQuantity}.`,
    { metadata: { petId: String(petId), available: String(available) } },
  );
}

/** @param version the item's version */
export function versionMismatch(petId: bigint, version: bigint): ConnectError {
  return fail(
    "VERSION_MISMATCH",
    `Pet ${petId} has version ${version}, which does not match the conditions of the request. Read the item again before you change it.`,
    { metadata: { petId: String(petId), version: String(version) } },
  );
}

/** @param quantity the item's quantity */
export function quantityMismatch(petId: bigint, quantity: number): ConnectError {
  return fail(
    "QUANTITY_MISMATCH",
    `The stock of pet ${petId} is ${quantity}, not the expected quantity. Read the item again before you change it.`,
    { metadata: { petId: String(petId), quantity: String(quantity) } },
  );
}

/**
 * A batch failed and had no effect.
 *
 * @param rows the updates that fail, in order, at least one; the first decides on reason and code
 * @param more the number of further updates that fail
 */
export function batchRefused(
  rows: readonly (Violation & { readonly reason: Reason })[],
  more: number,
): ConnectError {
  const fieldViolations = rows.map(({ field, description }) => ({ field, description }));
  if (more > 0) {
    fieldViolations.push({ field: "updates", description: `${more} more updates fail` });
  }
  return fail(rows[0]?.reason ?? "INTERNAL", violationsText(fieldViolations), {
    details: [{ desc: BadRequestSchema, value: { fieldViolations } }],
  });
}

/** Another request with this key is in progress in this process. */
export function idempotencyKeyInUse(key: string): ConnectError {
  return fail(
    "IDEMPOTENCY_KEY_IN_USE",
    `Another request with the idempotency key ${key} is in progress. Retry to get its response.`,
    { metadata: { key } },
  );
}

/** The key was used with another request. */
export function idempotencyKeyReused(key: string): ConnectError {
  return fail(
    "IDEMPOTENCY_KEY_REUSED",
    `The idempotency key ${key} was used with another request. Use a new key for a new request.`,
    { metadata: { key } },
  );
}

/** The stock would exceed the largest quantity if the order's quantity were added to it. */
export function stockTooLarge(orderId: bigint): ConnectError {
  return fail(
    "STOCK_TOO_LARGE",
    `Order ${orderId} cannot be cancelled: the stock of its pet would ${exceedLargestQuantity}.`,
    { metadata: { orderId: String(orderId) } },
  );
}

/** @param status the order's status, as text */
export function orderStatusConflict(orderId: bigint, status: string): ConnectError {
  return fail("ORDER_STATUS", `Order ${orderId} is ${status}, which does not allow the change.`, {
    metadata: { orderId: String(orderId), status },
  });
}

/** The key to be rotated was revoked or has expired. */
export function keyNotValid(keyId: string): ConnectError {
  return fail(
    "KEY_NOT_VALID",
    `Key ${keyId} was revoked or has expired. Create a new key instead.`,
    {
      metadata: { keyId },
    },
  );
}

/** @param most the maximum number of keys of an account */
export function tooManyKeys(accountId: string, most: number): ConnectError {
  return fail(
    "TOO_MANY_KEYS",
    `Account ${accountId} has the maximum of ${most} keys. Revoke one first.`,
    {
      metadata: { accountId },
    },
  );
}

/** Reflection is off. */
export const reflectionOff = sharedOnce(() =>
  fail(
    "NOT_SUPPORTED",
    "Server reflection is off (GRPC_REFLECTION). Use the service's .proto files.",
  ),
);

/** A health check names an unknown service. */
export function serviceUnknown(service: string): ConnectError {
  const name = abridge(service, longestQuote);
  return fail("SERVICE_UNKNOWN", `Service ${name} does not exist.`, {
    metadata: { service: name },
  });
}

/**
 * Too many health watches are open.
 *
 * The code is UNIMPLEMENTED, because a client then stops its checks and treats the server as healthy (gRFC A17). After
 * any other error, it would treat the server as unhealthy and retry.
 *
 * @param setting the name of the setting with the limit
 */
export function healthWatchLimitReached(setting: string, most: number): ConnectError {
  return fail(
    "HEALTH_WATCH_LIMIT_REACHED",
    `Too many health watches are open (limit ${most}, ${setting}). Call Check instead.`,
    { metadata: { setting, most: String(most) } },
  );
}

/**
 * The store cannot be reached, or did not respond in time.
 *
 * @param cause the error of the store's client, which the caller does not see
 */
export function storeUnavailable(cause: unknown): ConnectError {
  return fail("STORE_UNAVAILABLE", "The store is not available. Retry in 1 s.", {
    ...retryAfter(1),
    cause,
  });
}

/**
 * Extends the error of a change that was sent to the store when the store did not respond.
 *
 * @param error the error of the store
 * @returns the error, with a message that the change may have been made; any other error unchanged
 */
export function changeUncertain(error: unknown): unknown {
  if (!(error instanceof ConnectError) || reasonOf(error) !== "STORE_UNAVAILABLE") return error;
  const message =
    "The store is not available. The change may or may not have been made. Retry in 1 s.";
  const uncertain = withoutStack(() => new ConnectError(message, error.code, error.metadata));
  uncertain.details = [...error.details];
  uncertain.cause = error.cause;
  return uncertain;
}

/** The server has too many requests or streams. The request had no effect. */
export const serverOverloaded = sharedOnce(() =>
  fail(
    "SERVER_OVERLOADED",
    "The server is overloaded. The request had no effect. Retry in 1 s.",
    retryAfter(1),
  ),
);

/** The client or its account has its share of the open requests or streams. The request had no effect. */
export const shareTaken = sharedOnce(() =>
  fail(
    "SERVER_OVERLOADED",
    "This client or account has as many open requests as others leave to it. The request had no effect. Retry in 1 s.",
    retryAfter(1),
  ),
);

/** A stream ends because the server shuts down. */
export function serverDraining(): ConnectError {
  return reconnect("The server is shutting down. Reconnect to reach another instance.");
}

/** A stream ends because its connection has reached its maximum age, and the grace period after it. */
export function connectionAged(): ConnectError {
  return reconnect("The connection has reached its maximum age. Reconnect.");
}

function reconnect(message: string): ConnectError {
  return fail("SERVER_DRAINING", message, {
    details: [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(0) } }],
  });
}

/** The history no longer has all changes that a client has missed. */
export function watchExpired(): ConnectError {
  return fail(
    "WATCH_EXPIRED",
    "The history no longer has all changes since the resume token. Watch again without a token.",
  );
}

/** @param most the number of changes that a client may be behind */
export function watchTooSlow(most: number): ConnectError {
  return fail(
    "WATCH_TOO_SLOW",
    `The client is more than ${most} changes behind. Watch again with the last resume token, and read faster.`,
    { metadata: { most: String(most) } },
  );
}

const watchSettings = { key: "MAX_WATCHES_PER_KEY", account: "MAX_WATCHES_PER_ACCOUNT" };

/** The caller has too many open watches. Waiting does not help: the caller must close one. */
export function watchLimitReached(holder: "key" | "account", most: number): ConnectError {
  const owner = holder === "key" ? "The API key" : "The account";
  const setting = watchSettings[holder];
  return fail(
    "WATCH_LIMIT_REACHED",
    `${owner} has ${most} open watches, the most allowed (${setting}). Close one, or share one watch between its readers.`,
    { metadata: { setting, most: String(most) } },
  );
}

/** How long a caller should wait before it tries again to open a watch on a full process, in seconds. */
const fullRetrySeconds = 5;

/** The process has as many open watches as it can serve, or as the account may have of the places that are left. */
export function watchCapacityReached(most: number): ConnectError {
  return fail(
    "WATCH_CAPACITY_REACHED",
    `This server process has no place for another watch of this account (MAX_WATCHES is ${most}). Retry in ${fullRetrySeconds} s.`,
    {
      ...retryAfter(fullRetrySeconds),
      metadata: { setting: "MAX_WATCHES", most: String(most) },
    },
  );
}

/** Adds to an error of an import how many rows were applied before it. */
export function withAppliedRows(error: ConnectError, rows: number): ConnectError {
  for (const detail of error.details) {
    if ("desc" in detail && detail.desc === ErrorInfoSchema) {
      const value = detail.value as MessageInitShape<typeof ErrorInfoSchema>;
      value.metadata = { ...value.metadata, appliedRows: String(rows) };
    }
  }
  return error;
}
