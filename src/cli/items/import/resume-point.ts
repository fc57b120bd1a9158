import { randomBytes } from "node:crypto";

/** The position at which an import continues. */
export interface ResumePoint {
  /** Number of good rows at the start of the file that are imported already. */
  readonly rows: number;
  /** Id of the import. It is part of the idempotency key of each message, so none is applied twice. */
  readonly importId: string;
}

/** Returns the start of a new import. @param rows number of good rows to skip */
export function newImport(rows = 0): ResumePoint {
  return { rows, importId: randomBytes(9).toString("base64url") };
}

/** Formats a point as `<rows>:<import id>`, the value that an interrupted import prints. */
export function resumeText({ rows, importId }: ResumePoint): string {
  return `${rows}:${importId}`;
}

/**
 * Parses `<rows>:<import id>`, or `<rows>` alone, which starts a new import after these rows.
 *
 * @returns undefined if the text is malformed
 */
export function parseResumePoint(text: string): ResumePoint | undefined {
  const [, rows, importId] = /^(\d{1,15})(?::([\w-]{12}))?$/.exec(text) ?? [];
  if (rows === undefined) return undefined;
  return importId === undefined ? newImport(Number(rows)) : { rows: Number(rows), importId };
}
