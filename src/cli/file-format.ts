import { getSystemErrorMessage } from "node:util";
import { CommandError, usageError } from "./command-error.ts";

/** The forms that a file of items can have. */
export const fileFormats = ["csv", "ndjson"] as const;

export type FileFormat = (typeof fileFormats)[number];

/** The path that means standard input or output. */
export const standardStream = "-";

/**
 * The form of a file: the one that was said, else that of its extension.
 *
 * @throws CommandError when there is no telling
 */
export function formatOf(path: string, said: FileFormat | undefined): FileFormat {
  if (said) {
    return said;
  }
  if (/\.csv$/i.test(path)) {
    return "csv";
  }
  if (/\.(ndjson|jsonl)$/i.test(path)) {
    return "ndjson";
  }
  throw usageError(
    `can't tell the format of ${path === standardStream ? "standard input" : path}: say --format csv or --format ndjson`,
  );
}

/**
 * A failure to open, read or write a file, told by its path; any other error as it is, and so is that
 * of a pipe which nobody reads any more.
 */
export function fileError(path: string, error: unknown): unknown {
  if (!(error instanceof Error && "errno" in error && typeof error.errno === "number")) {
    return error;
  }
  if ("code" in error && error.code === "EPIPE") {
    return error;
  }
  return new CommandError("invalid_argument", `${path}: ${getSystemErrorMessage(error.errno)}`);
}
