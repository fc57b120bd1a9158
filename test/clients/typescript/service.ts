import { expect } from "vitest";

/** A value by which `npm run test:clients` tells of the service and what is in it. */
export function env(name: string): string {
  const value = process.env[`INVENTORY_${name}`];
  if (value === undefined) {
    throw new Error(`INVENTORY_${name} is not set: run \`npm run test:clients\``);
  }
  return value;
}

/** Ids that nothing has, of the form that ids have. */
export const unknown = {
  pet: 2n ** 63n - 1n,
  order: 2n ** 63n - 1n,
  account: "z".repeat(12),
  key: "z".repeat(20),
} as const;

/** A note with which a message is larger than the service takes. */
export const longNote = "z".repeat(100_000);

/** gRPC's codes; Connect's have the same numbers. */
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

/** The reasons, each with its code and the key of its metadata. */
const refusals = {
  KEY_MISSING: [codes.unauthenticated],
  KEY_INVALID: [codes.unauthenticated],
  KEY_REVOKED: [codes.unauthenticated],
  KEY_EXPIRED: [codes.unauthenticated],
  KEY_BANNED: [codes.resourceExhausted],
  ADDRESS_LIMITED: [codes.resourceExhausted],
  SCOPE_MISSING: [codes.permissionDenied, "scope"],
  FIELD_INVALID: [codes.invalidArgument],
  PET_NOT_FOUND: [codes.notFound, "petId"],
  PET_EXISTS: [codes.alreadyExists, "petId"],
  ORDER_NOT_FOUND: [codes.notFound, "orderId"],
  ORDER_STATUS: [codes.failedPrecondition, "status"],
  STOCK_TOO_LARGE: [codes.failedPrecondition, "orderId"],
  STOCK_TOO_SMALL: [codes.failedPrecondition, "available"],
  VERSION_MISMATCH: [codes.aborted, "version"],
  QUANTITY_MISMATCH: [codes.aborted, "quantity"],
  IDEMPOTENCY_KEY_REUSED: [codes.failedPrecondition, "key"],
  MESSAGE_TOO_LARGE: [codes.resourceExhausted],
  ACCOUNT_NOT_FOUND: [codes.notFound, "accountId"],
  KEY_NOT_FOUND: [codes.notFound, "keyId"],
  KEY_NOT_VALID: [codes.failedPrecondition, "keyId"],
  TOO_MANY_KEYS: [codes.failedPrecondition, "accountId"],
  STORE_UNAVAILABLE: [codes.unavailable],
} as const satisfies Record<string, readonly [code: number, metadata?: string]>;

export type Reason = keyof typeof refusals;

/** Names of the reasons. */
export const reasons = Object.keys(refusals) as Reason[];

/** The headers in which every answer tells how the account stands. */
export const limits = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "ratelimit",
  "ratelimit-policy",
] as const;

/** An error as its code and details tell it, by whichever library it came. */
export interface Refusal {
  readonly code: number;
  readonly info:
    | { reason: string; domain: string; metadata: Readonly<Record<string, string>> }
    | undefined;
  /** The first field that is wrong. */
  readonly field: string | undefined;
  /** Seconds to wait before another try; undefined when another try is of no use. */
  readonly retryAfter: number | undefined;
}

/** Expects an error to be what the service refuses with for a reason. */
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
  expect(refusal.field).toBe(reason === "FIELD_INVALID" ? "update.quantity" : undefined);
}
