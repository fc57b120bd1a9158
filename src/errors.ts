import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type BadRequest_FieldViolation,
  BadRequestSchema,
  ErrorInfoSchema,
  QuotaFailureSchema,
  RetryInfoSchema,
} from "../gen/google/rpc/error_details_pb.ts";
import { remembering } from "./call/remembering.ts";

/**
 * Every error that the service itself makes: its reason (stable, for programs: it is the `reason` of
 * the google.rpc.ErrorInfo that every RPC error carries), its code, when it occurs, and its HTTP status
 * where that is not the code's.
 */
export const catalogue = {
  KEY_MISSING: [Code.Unauthenticated, "No API key was sent."],
  KEY_INVALID: [Code.Unauthenticated, "What was sent is no API key of this service."],
  KEY_REVOKED: [Code.Unauthenticated, "The API key was revoked."],
  KEY_EXPIRED: [Code.Unauthenticated, "The API key has expired."],
  SCOPE_MISSING: [Code.PermissionDenied, "The API key lacks the scope that the operation needs."],
  RATE_LIMITED: [Code.ResourceExhausted, "The account's minute or day limit is reached."],
  BATCH_OVER_LIMIT: [
    Code.ResourceExhausted,
    "The batch counts as more requests than the account's limit ever admits. Do not retry: split it.",
  ],
  KEY_BANNED: [Code.ResourceExhausted, "The API key is banned for repeating refused requests."],
  ADDRESS_LIMITED: [
    Code.ResourceExhausted,
    "Too many requests without a valid API key came from the caller's address.",
  ],
  FIELD_INVALID: [Code.InvalidArgument, "A field of the request is missing or out of bounds."],
  PET_NOT_FOUND: [Code.NotFound, "The store has no such pet."],
  PET_EXISTS: [Code.AlreadyExists, "The store has this pet already."],
  ORDER_NOT_FOUND: [Code.NotFound, "The account has no such order."],
  ACCOUNT_NOT_FOUND: [Code.NotFound, "There is no such account."],
  KEY_NOT_FOUND: [Code.NotFound, "There is no such key."],
  STOCK_TOO_SMALL: [Code.FailedPrecondition, "There is less in stock than is to be taken."],
  STOCK_TOO_LARGE: [Code.FailedPrecondition, "The stock would exceed the largest quantity."],
  VERSION_MISMATCH: [
    Code.Aborted,
    "The item's version is not one that the conditions of the request accept.",
    412,
  ],
  QUANTITY_MISMATCH: [Code.Aborted, "The item's quantity is not as expected."],
  IDEMPOTENCY_KEY_IN_USE: [
    Code.Aborted,
    "A request with the same idempotency key is being answered.",
  ],
  IDEMPOTENCY_KEY_REUSED: [
    Code.FailedPrecondition,
    "The idempotency key was used with another request in the last 24 hours.",
    422,
  ],
  ORDER_STATUS: [Code.FailedPrecondition, "The order's status does not allow the change."],
  KEY_NOT_VALID: [Code.FailedPrecondition, "The key was revoked or has expired."],
  TOO_MANY_KEYS: [Code.FailedPrecondition, "The account has the largest number of keys."],
  SERVICE_UNKNOWN: [Code.NotFound, "A health check names a service that there is not."],
  HEALTH_WATCH_LIMIT_REACHED: [
    Code.Unimplemented,
    "Too many watches of the server's health are open. gRPC clients then treat the server as healthy.",
  ],
  STORE_UNAVAILABLE: [Code.Unavailable, "The store can't be reached or does not answer in time."],
  SERVER_OVERLOADED: [
    Code.Unavailable,
    "The server has more requests or streams than it can serve in time. Nothing was done for this one.",
  ],
  SERVER_DRAINING: [Code.Unavailable, "The server shuts down. Others go on: connect again."],
  WATCH_EXPIRED: [
    Code.OutOfRange,
    "The changes since the resume token are not all remembered. Watch without a token.",
    410,
  ],
  WATCH_TOO_SLOW: [
    Code.ResourceExhausted,
    "The client of a watch reads so slowly that it is too many changes behind.",
  ],
  WATCH_LIMIT_REACHED: [
    Code.ResourceExhausted,
    "The API key (`MAX_WATCHES_PER_KEY`) or the account (`MAX_WATCHES_PER_ACCOUNT`) has too many open watches. Close one first.",
  ],
  WATCH_CAPACITY_REACHED: [
    Code.ResourceExhausted,
    "All callers together have too many open watches on this process (`MAX_WATCHES`). Retry later.",
    503,
  ],
  MESSAGE_INVALID: [
    Code.InvalidArgument,
    "The request is not what the protocol or the contract asks for.",
  ],
  MESSAGE_TOO_LARGE: [
    Code.ResourceExhausted,
    "The message is larger than `MAX_BODY_BYTES`, or `MAX_BATCH_BODY_BYTES` for a batch.",
  ],
  NOT_SUPPORTED: [Code.Unimplemented, "There is no such method, or it is not called that way."],
  DEADLINE_EXCEEDED: [Code.DeadlineExceeded, "The time that the client gave has passed."],
  CLIENT_LEFT: [Code.Canceled, "The client has given up the call."],
  INTERNAL: [Code.Internal, "A bug, or an answer that can't be told. It is in the server's log."],
} as const satisfies Record<string, readonly [Code, string] | readonly [Code, string, number]>;

/** Names of the catalogue's errors. */
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

/** Longest text from a request that an error quotes, in characters: gRPC sends errors in headers. */
const longestQuote = 200;

function abridge(text: string): string {
  return text.length > longestQuote ? `${text.slice(0, longestQuote).toWellFormed()}…` : text;
}

function fail(reason: Reason, message: string, extras: Extras = {}): ConnectError {
  const info = {
    desc: ErrorInfoSchema,
    value: { reason, domain: errorDomain, metadata: extras.metadata ?? {} },
  };
  const details = [info, ...(extras.details ?? [])];
  const [code] = catalogue[reason];
  return withoutStack(() => new ConnectError(message, code, extras.headers, details, extras.cause));
}

/** An error that is meant says all there is to say: to find out where it was made would be most of its cost. */
function withoutStack(make: () => ConnectError): ConnectError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The reason of an error made here; undefined of any other. */
export function reasonOf(error: ConnectError): string | undefined {
  return error.findDetails(ErrorInfoSchema).find((info) => info.domain === errorDomain)?.reason;
}

/** Reasons of the errors that the protocols make, by code. */
const protocolReasons: Partial<Record<Code, Reason>> = {
  [Code.InvalidArgument]: "MESSAGE_INVALID",
  [Code.ResourceExhausted]: "MESSAGE_TOO_LARGE",
  [Code.Unimplemented]: "NOT_SUPPORTED",
  [Code.DeadlineExceeded]: "DEADLINE_EXCEEDED",
  [Code.Canceled]: "CLIENT_LEFT",
};

/** How errors appear over HTTP: their reason, and the status if it is not that of the code. */
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

/** How protobuf-es tells that a field of a JSON message is not what it should be. */
const jsonFieldError = /^cannot decode field (?<field>[\w.]+) from JSON: (?<description>.*)$/s;

/**
 * The details that an error lacks which was not made here but by an RPC protocol, so that every error
 * has a reason, and one that is about a field tells which.
 *
 * @returns an empty list for the errors made here
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
    description: abridge(description),
  };
  return [info, { desc: BadRequestSchema, value: { fieldViolations: [violation] } }];
}

const challenge = 'Bearer realm="inventory"';

/**
 * Makes an error one for everybody: frozen, so that what was made of it can be kept. It is those whom the
 * service refuses, and who may be very many, that are told such errors. What is of one request must not be
 * written on one: it goes into the headers of the response.
 */
function forEverybody(error: ConnectError): ConnectError {
  Object.freeze(error.details);
  return Object.freeze(error);
}

function once(make: () => ConnectError): () => ConnectError {
  let made: ConnectError | undefined;
  return () => {
    made ??= forEverybody(make());
    return made;
  };
}

/** No API key was sent (RFC 6750 section 3: a challenge without an error code). */
export const keyMissing = once(() =>
  fail("KEY_MISSING", "Send your API key in the header `Authorization: Bearer <API_KEY>`.", {
    headers: { "www-authenticate": challenge },
  }),
);

function keyRefused(reason: Reason, message: string): () => ConnectError {
  const headers = { "www-authenticate": `${challenge}, error="invalid_token"` };
  return once(() => fail(reason, message, { headers }));
}

/** What was sent is not a key, or not one that exists. */
export const keyInvalid = keyRefused(
  "KEY_INVALID",
  "The API key is not valid. Check that it was copied whole, or make a new one.",
);

/** The key existed and was revoked. */
export const keyRevoked = keyRefused("KEY_REVOKED", "The API key was revoked. Use another one.");

/** The key existed and is past its expiry. */
export const keyExpired = keyRefused("KEY_EXPIRED", "The API key has expired. Use another one.");

/** Waits whose errors are kept: at any one time few differ. */
const maxWaits = 1_000;

/** The windows that admit no more requests: the limit of each, in requests. */
export type FullWindows = Readonly<Partial<Record<"minute" | "day", number>>>;

/**
 * Returns a function that makes the error of a wait in milliseconds. Callers that have to wait equally many seconds
 * for the same windows get the same error.
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
    return forEverybody(fail(reason, `${message} Retry in ${seconds} s.`, extras));
  };
  const made = remembering((arguments_: string) => make(JSON.parse(arguments_)), maxWaits);
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

/** Rounded up and at least one: a client that waits less would be refused again. */
function retrySeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** The header and the detail with which an error says after how many seconds to retry. */
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
 * A request that counts as several exceeds what is left of a limit.
 *
 * @param requests how many it counts as
 * @param waitMs milliseconds until all of them would be admitted
 * @param full the windows that have fewer requests left
 */
export function batchLimited(requests: number, waitMs: number, full: FullWindows): ConnectError {
  const seconds = retrySeconds(waitMs);
  const { headers, details } = retryAfter(seconds);
  return fail(
    "RATE_LIMITED",
    `The request counts as ${requests} requests, and the account has fewer left. Retry in ${seconds} s, or send fewer items.`,
    { headers, details: [...details, ...quotaFailure("account", full)] },
  );
}

/**
 * A request that counts as several exceeds a whole limit. Waiting does not help, so the error has no `Retry-After`.
 *
 * @param requests how many it counts as
 * @param limit of the account
 * @param window `minute` or `day`
 * @param mostItems that a request can have to count as no more than the limit
 */
export function batchOverLimit(
  requests: number,
  limit: number,
  window: "minute" | "day",
  mostItems: number,
): ConnectError {
  return fail(
    "BATCH_OVER_LIMIT",
    `The request counts as ${requests} requests, more than the account's limit of ${limit} a ${window}. Send at most ${mostItems} items at once.`,
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
  "The API key is banned for a while, because refused requests were repeated without waiting.",
  "account",
);

/**
 * @param waitMs milliseconds until a request would be answered 401 again
 * @param full the windows that are full
 */
export const addressLimited = retryLater(
  "ADDRESS_LIMITED",
  "Too many requests without a valid API key came from this address.",
  "client address",
);

/** @param scope the scope that the key lacks */
export function scopeMissing(scope: string): ConnectError {
  return fail("SCOPE_MISSING", `The API key lacks the scope \`${scope}\`. Use a key that has it.`, {
    metadata: { scope },
  });
}

/** What is wrong with a field; its path is in proto names, from the request message on. */
export type Violation = Pick<BadRequest_FieldViolation, "field" | "description">;

/**
 * Violations that an error lists. The others are only counted: in the trailers of gRPC a long list is more
 * than clients accept.
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

function violationsText(violations: readonly Violation[]): string {
  return violations.map(({ field, description }) => `${field}: ${description}`).join("; ");
}

/** The store has no such pet. */
export function petNotFound(petId: bigint): ConnectError {
  return fail("PET_NOT_FOUND", `There is no pet ${petId} in the inventory.`, {
    metadata: { petId: String(petId) },
  });
}

/** The store has this pet already. */
export function petExists(petId: bigint): ConnectError {
  return fail("PET_EXISTS", `Pet ${petId} is in the inventory already.`, {
    metadata: { petId: String(petId) },
  });
}

/** The account has no such order. */
export function orderNotFound(orderId: bigint): ConnectError {
  return fail("ORDER_NOT_FOUND", `There is no order ${orderId}.`, {
    metadata: { orderId: String(orderId) },
  });
}

/** There is no such account. */
export function accountNotFound(accountId: string): ConnectError {
  return fail("ACCOUNT_NOT_FOUND", `There is no account ${accountId}.`, {
    metadata: { accountId },
  });
}

/** There is no such key. */
export function keyNotFound(keyId: string): ConnectError {
  return fail("KEY_NOT_FOUND", `There is no key ${keyId}.`, { metadata: { keyId } });
}

/**
 * @param wanted the quantity to be taken
 * @param available the quantity in stock
 */
export function stockTooSmall(petId: bigint, wanted: number, available: number): ConnectError {
  return fail(
    "STOCK_TOO_SMALL",
    `There are ${available} of pet ${petId} in stock, fewer than the ${wanted} to be taken.`,
    { metadata: { petId: String(petId), available: String(available) } },
  );
}

/** @param available the quantity in stock */
export function adjustmentTooLarge(petId: bigint, delta: number, available: number): ConnectError {
  return fail(
    "STOCK_TOO_LARGE",
    `There are ${available} of pet ${petId} in stock: with ${delta} more they would exceed the largest quantity.`,
    { metadata: { petId: String(petId), available: String(available) } },
  );
}

/** @param version the item's version */
export function versionMismatch(petId: bigint, version: bigint): ConnectError {
  return fail(
    "VERSION_MISMATCH",
    `The conditions of the request do not accept pet ${petId} as it is: its version is ${version}. Read it again, then decide.`,
    { metadata: { petId: String(petId), version: String(version) } },
  );
}

/** @param quantity the item's quantity */
export function quantityMismatch(petId: bigint, quantity: number): ConnectError {
  return fail(
    "QUANTITY_MISMATCH",
    `There are ${quantity} of pet ${petId} in stock, which is not the quantity expected. Decide anew.`,
    { metadata: { petId: String(petId), quantity: String(quantity) } },
  );
}

/**
 * A batch of which nothing was done.
 *
 * @param rows what is in the way, in order, at least one: the first decides on reason and code
 * @param more how many more are in the way, and not in `rows`
 */
export function batchRefused(
  rows: readonly (Violation & { readonly reason: Reason })[],
  more: number,
): ConnectError {
  const fieldViolations = rows.map(({ field, description }) => ({ field, description }));
  if (more > 0) {
    fieldViolations.push({ field: "updates", description: `${more} more can't be made` });
  }
  return fail(rows[0]?.reason ?? "INTERNAL", violationsText(fieldViolations), {
    details: [{ desc: BadRequestSchema, value: { fieldViolations } }],
  });
}

/** A request with this key is being answered by this process. */
export function idempotencyKeyInUse(key: string): ConnectError {
  return fail(
    "IDEMPOTENCY_KEY_IN_USE",
    `A request with the idempotency key ${key} is being answered. Repeat yours for its answer.`,
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

/** Putting an order's quantity back would exceed the largest quantity. */
export function stockTooLarge(orderId: bigint): ConnectError {
  return fail(
    "STOCK_TOO_LARGE",
    `Order ${orderId} can't be cancelled: its pet's stock would exceed the largest quantity.`,
    { metadata: { orderId: String(orderId) } },
  );
}

/** @param status the order's status, as a word */
export function orderStatusInTheWay(orderId: bigint, status: string): ConnectError {
  return fail("ORDER_STATUS", `Order ${orderId} is ${status}: the change is not possible.`, {
    metadata: { orderId: String(orderId), status },
  });
}

/** The key that was to be rotated is not valid any more. */
export function keyNotValid(keyId: string): ConnectError {
  return fail("KEY_NOT_VALID", `Key ${keyId} was revoked or has expired. Make a new key instead.`, {
    metadata: { keyId },
  });
}

/** @param most how many keys an account can have */
export function tooManyKeys(accountId: string, most: number): ConnectError {
  return fail("TOO_MANY_KEYS", `Account ${accountId} has ${most} keys, the most there can be.`, {
    metadata: { accountId },
  });
}

/** Reflection is asked for, and switched off. */
export const reflectionOff = once(() =>
  fail(
    "NOT_SUPPORTED",
    "Server reflection is off (GRPC_REFLECTION). Use the service's .proto files.",
  ),
);

/** Health was asked of a service that there is not. */
export function serviceUnknown(service: string): ConnectError {
  const name = abridge(service);
  return fail("SERVICE_UNKNOWN", `There is no service ${name}.`, { metadata: { service: name } });
}

/**
 * Too many health watches are open.
 *
 * UNIMPLEMENTED, because a client then stops asking and treats the server as healthy (gRFC A17). After any
 * other error it would take the server for unhealthy, and retry.
 *
 * @param setting the bound that is reached
 */
export function healthWatchLimitReached(setting: string, most: number): ConnectError {
  return fail(
    "HEALTH_WATCH_LIMIT_REACHED",
    `Too many health watches are open (limit ${most}, ${setting}). Call Check instead.`,
    { metadata: { setting, most: String(most) } },
  );
}

/**
 * The store can't be reached, or did not answer in time.
 *
 * @param cause what the store's client said; never told to the caller
 */
export function storeUnavailable(cause: unknown): ConnectError {
  return fail("STORE_UNAVAILABLE", "The store is not available. Retry in 1 s.", {
    headers: { "retry-after": "1" },
    details: [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(1000) } }],
    cause,
  });
}

/**
 * The error of a change that was sent to the store, when the store did not answer.
 *
 * @param error as the store threw it
 * @returns the same error if it does not leave open whether the change was made
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

/** The server has too many requests or streams. Nothing was done for the request. */
export const serverOverloaded = once(() =>
  fail("SERVER_OVERLOADED", "The server is overloaded. Nothing was done. Retry in 1 s.", {
    headers: { "retry-after": "1" },
    details: [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(1000) } }],
  }),
);

/** The server shuts down: a stream ends before its time. */
export function serverDraining(): ConnectError {
  return fail("SERVER_DRAINING", "The server shuts down. Connect again.", {
    details: [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(0) } }],
  });
}

/** What a client missed can't be told any more. */
export function watchExpired(): ConnectError {
  return fail(
    "WATCH_EXPIRED",
    "The changes that were missed are not all remembered any more. Start over without a resume token.",
  );
}

/** @param most how many changes a client may be behind */
export function watchTooSlow(most: number): ConnectError {
  return fail(
    "WATCH_TOO_SLOW",
    `The client is more than ${most} changes behind. Go on with the last resume token, and read faster.`,
    { metadata: { most: String(most) } },
  );
}

const watchSettings = { key: "MAX_WATCHES_PER_KEY", account: "MAX_WATCHES_PER_ACCOUNT" };

/** The caller has as many open watches as it may have. Waiting does not help: one has to be closed. */
export function watchLimitReached(holder: "key" | "account", most: number): ConnectError {
  const owner = holder === "key" ? "The API key" : "The account";
  const setting = watchSettings[holder];
  return fail(
    "WATCH_LIMIT_REACHED",
    `${owner} has ${most} open watches, the most allowed (${setting}). Close one, or share one watch between its readers.`,
    { metadata: { setting, most: String(most) } },
  );
}

/** How long a caller should wait before it opens a watch again on a full process, in seconds. */
const fullRetrySeconds = 5;

/** All callers together have as many open watches as one process serves. */
export function watchCapacityReached(most: number): ConnectError {
  return fail(
    "WATCH_CAPACITY_REACHED",
    `This server process has ${most} open watches, the most allowed (MAX_WATCHES). Retry in ${fullRetrySeconds} s.`,
    {
      headers: { "retry-after": String(fullRetrySeconds) },
      details: [
        { desc: RetryInfoSchema, value: { retryDelay: durationFromMs(fullRetrySeconds * 1_000) } },
      ],
      metadata: { setting: "MAX_WATCHES", most: String(most) },
    },
  );
}

/**
 * Adds to an error how much of an import was done before it.
 *
 * @param rows items of the messages that were applied
 */
export function afterRows(error: ConnectError, rows: number): ConnectError {
  for (const detail of error.details) {
    if ("desc" in detail && detail.desc === ErrorInfoSchema) {
      const value = detail.value as MessageInitShape<typeof ErrorInfoSchema>;
      value.metadata = { ...value.metadata, appliedRows: String(rows) };
    }
  }
  return error;
}
