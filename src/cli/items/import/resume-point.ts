import { randomBytes } from "node:crypto";

/** The position at which an import continues. */
export interface ResumePoint {
  /** Number of good rows at the start of the file that are imported already. */
  readonly rows: number;
  /** Id of the import. It is part of the idempotency key of each message, so none is applied twice. */
  readonly importId: string;
  /** The rows of the next message that the service has refused; none if absent. */
  readonly refused?: RefusedRows | undefined;
}

/**
 * Rows that a message is sent without. It may have been applied, so a resumed import sends the same rows under the same
 * key, even if the service would accept all rows now.
 */
export interface RefusedRows {
  /** Bit n is row n of the message. */
  readonly bits: bigint;
  /** Shows that the file still has these rows: 8 hexadecimal digits. */
  readonly digest: string;
}

/** Returns the start of a new import. @param rows number of good rows to skip */
export function newImport(rows = 0): ResumePoint {
  return { rows, importId: randomBytes(9).toString("base64url") };
}

/** Formats a point as `<rows>:<import id>[:<refused rows>]`, the value that an interrupted import prints. */
export function resumeText({ rows, importId, refused }: ResumePoint): string {
  const without = refused ? `:${refused.bits.toString(16)}-${refused.digest}` : "";
  return `${rows}:${importId}${without}`;
}

/** Parses what {@link resumeText} returns, or `<rows>` alone, which starts a new import; undefined if malformed. */
export function parseResumePoint(text: string): ResumePoint | undefined {
  const [, rows, importId, bits, digest] =
    /^(\d{1,15})(?::([\w-]{12})(?::([\da-f]{1,125})-([\da-f]{8}))?)?$/.exec(text) ?? [];
  if (rows === undefined) return undefined;
  if (importId === undefined) return newImport(Number(rows));
  const refused = bits && digest ? { bits: BigInt(`0x${bits}`), digest } : undefined;
  return { rows: Number(rows), importId, refused };
}
