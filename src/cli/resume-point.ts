import { randomBytes } from "node:crypto";

/** Where an import continues. */
export interface ResumePoint {
  /** How many good rows at the beginning of the file are imported already. */
  readonly rows: number;
  /** Identifies the import. The idempotency keys of its messages contain it, so none is applied twice. */
  readonly importId: string;
}

/** The beginning of a new import. @param rows how many good rows to leave out */
export function newImport(rows = 0): ResumePoint {
  return { rows, importId: randomBytes(9).toString("base64url") };
}

/** `<rows>:<import id>`, as an interrupted import prints it. */
export function resumeText({ rows, importId }: ResumePoint): string {
  return `${rows}:${importId}`;
}

/**
 * Reads `<rows>:<import id>`, or `<rows>` alone, which begins a new import there.
 *
 * @returns undefined when it is neither
 */
export function parseResumePoint(text: string): ResumePoint | undefined {
  const [, rows, importId] = /^(\d{1,15})(?::([\w-]{12}))?$/.exec(text) ?? [];
  if (rows === undefined) return undefined;
  return importId === undefined ? newImport(Number(rows)) : { rows: Number(rows), importId };
}
