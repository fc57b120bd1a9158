import { expect } from "vitest";

/** An environment variable that `npm run task clients` sets. */
export function env(name: string): string {
  const value = process.env[`INVENTORY_${name}`];
  if (value === undefined) {
    throw new Error(`INVENTORY_${name} is not set: run \`npm run task clients\``);
  }
  return value;
}

/** Well-formed ids that do not exist. */
export const unknown = {
  pet: 2n ** 63n - 1n,
  order: 2n ** 63n - 1n,
  hold: "none",
  account: "z".repeat(12),
  key: "z".repeat(20),
} as const;

/** A note that makes a message exceed the size limit of the service. */
export const longNote = "z".repeat(100_000);

/** The status codes of gRPC. Connect uses the same numbers. */
export const codes = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** The error reasons, each with its code and the key of its metadata. */
const refusals = {
  KEY_MISSING: [codes.unauthenticated],
  KEY_INVALID: [codes.unauthenticated],
  KEY_REVOKED: [codes.unauthenticated],
  KEY_EXPIRED: [codes.unauthenticated],
  ACCOUNT_DISABLED: [codes.permissionDenied],
  ADDRESS_NOT_ALLOWED: [codes.permissionDenied],
  KEY_BANNED: [codes.resourceExhausted],
  ADDRESS_LIMITED: [codes.resourceExhausted],
  SCOPE_MISSING: [codes.permissionDenied, "scope"],
  FIELD_INVALID: [codes.invalidArgument],
  PET_NOT_FOUND: [codes.notFound, "petId"],
  PET_EXISTS: [codes.alreadyExists, "petId"],
  ORDER_NOT_FOUND: [codes.notFound, "orderId"],
  ORDER_STATUS: [codes.failedPrecondition, "status"],
  HOLD_NOT_FOUND: [codes.notFound, "holdId"],
  HOLD_ENDED: [codes.failedPrecondition, "state"],
  PET_HELD: [codes.failedPrecondition, "petId"],
  STOCK_TOO_LARGE: [codes.failedPrecondition, "orderId"],
  STOCK_TOO_SMALL: [codes.failedPrecondition, "available"],
  VERSION_MISMATCH: [codes.aborted, "version"],
  QUANTITY_MISMATCH: [codes.aborted, "quantity"],
  CONDITION_REQUIRED: [codes.failedPrecondition],
  IDEMPOTENCY_KEY_REQUIRED: [codes.failedPrecondition],
  IDEMPOTENCY_KEY_REUSED: [codes.failedPrecondition, "key"],
  MESSAGE_TOO_LARGE: [codes.resourceExhausted],
  ACCOUNT_NOT_FOUND: [codes.notFound, "accountId"],
  OWN_ACCOUNT: [codes.failedPrecondition, "accountId"],
  KEY_NOT_FOUND: [codes.notFound, "keyId"],
  KEY_NOT_VALID: [codes.failedPrecondition, "keyId"],
  TOO_MANY_KEYS: [codes.failedPrecondition, "accountId"],
  STORE_UNAVAILABLE: [codes.unavailable],
} as const satisfies Record<string, readonly [code: number, metadata?: string]>;

export type Reason = keyof typeof refusals;

/** Names of the reasons. */
export const reasons = Object.keys(refusals) as Reason[];

/** The headers with the rate limits of the account, in every response. */
export const limits = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "ratelimit",
  "ratelimit-policy",
] as const;

/** The fields that errors name. */
const fields: Partial<Readonly<Record<Reason, string>>> = {
  FIELD_INVALID: "update.quantity",
  CONDITION_REQUIRED: "If-Match",
  IDEMPOTENCY_KEY_REQUIRED: "Idempotency-Key",
};

/** The code and the details of an error, the same for all libraries. */
export interface Refusal {
  readonly code: number;
  readonly info:
    | { reason: string; domain: string; metadata: Readonly<Record<string, string>> }
    | undefined;
  /** The first invalid field. */
  readonly field: string | undefined;
  /** Seconds to wait before a retry; undefined if a retry does not help. */
  readonly retryAfter: number | undefined;
}

/** Expects an error with a reason, its code and its metadata. */
export function expectRefusal(refusal: Refusal, reason: Reason): void {
  const [code, metadata]: readonly [number, string?] = refusals[reason];
  expect(refusal).toMatchObject({ code, info: { reason, domain: "inventory" } });
  if (metadata) {
    expect(refusal.info?.metadata).toHaveProperty(metadata);
  }
  const passes =
    reason !== "MESSAGE_TOO_LARGE" &&
    (code === codes.resourceExhausted || code === codes.unavailable);
  expect(Number(refusal.retryAfter ?? 0) >= 1).toBe(passes);
  expect(refusal.field).toBe(fields[reason]);
}
