import { expect } from "vitest";

/** An environment variable that `npm run task clients` sets. */
export function env(name: string): string {
  const value = process.env[`INVENTORY_${name}`];
  if (value === undefined) {
    throw new Error(`INVENTORY_${name} is not set: run \`npm run task clients\``);
  }
  return value;
}

/** A well-formed id that does not exist. */
export const unknownPet = 2n ** 63n - 1n;

/** A note that makes a message exceed the size limit of the service. */
export const longNote = "z".repeat(100_000);

/** The status codes of gRPC. Connect uses the same numbers. */
export const codes = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** Some error reasons, each with its code and the key of its metadata. */
const refusals = {
  KEY_MISSING: [codes.unauthenticated],
  FIELD_INVALID: [codes.invalidArgument],
  PET_NOT_FOUND: [codes.notFound, "petId"],
  STOCK_TOO_SMALL: [codes.failedPrecondition, "available"],
  VERSION_MISMATCH: [codes.aborted, "version"],
  MESSAGE_TOO_LARGE: [codes.resourceExhausted],
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
  expect(Number(refusal.retryAfter ?? 0) >= 1).toBe(code === codes.unavailable);
  expect(refusal.field).toBe(reason === "FIELD_INVALID" ? "update.quantity" : undefined);
}
