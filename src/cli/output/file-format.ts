import { readFile } from "node:fs/promises";
import { getSystemErrorMessage } from "node:util";
import { quoteIfHidden } from "../../common/quote.ts";
import { CommandError, usageError } from "../command-error.ts";

export const fileFormats = ["csv", "ndjson", "json"] as const;

export type FileFormat = (typeof fileFormats)[number];

export const standardStream = "-";

/** Returns the value of --format, or else the format of the file's extension. @throws CommandError if neither is known */
export function formatOf(path: string, option: FileFormat | undefined): FileFormat {
  if (option) return option;
  const [, extension = ""] = /\.(csv|ndjson|jsonl|json)$/i.exec(path) ?? [];
  const format = extension.toLowerCase().replace("jsonl", "ndjson");
  const known = fileFormats.find((each) => each === format);
  if (known) return known;
  throw usageError(
    `the format of ${path === standardStream ? "standard input" : quoteIfHidden(path)} is unknown: add --format csv, ndjson or json`,
  );
}

/** Reads a text file. @param source as for {@link fileError} @throws CommandError with the path */
export async function readText(path: string, source?: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    throw fileError(path, error, source);
  });
}

/** Returns undefined if a file does not exist. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Converts an error of the file system to a CommandError with the path. Returns other errors, and EPIPE, as they are.
 *
 * @param source what has named the file, for the message, such as `INVENTORY_CA_FILE: `
 */
export function fileError(path: string, error: unknown, source = ""): unknown {
  // Closing the file failed too, after the error that matters.
  if (error instanceof SuppressedError) return fileError(path, error.suppressed, source);
  if (!(error instanceof Error && "errno" in error && typeof error.errno === "number")) {
    return error;
  }
  if ("code" in error && error.code === "EPIPE") return error;
  return new CommandError(
    "invalid_argument",
    `${source}${quoteIfHidden(path)}: ${getSystemErrorMessage(error.errno)}`,
  );
}
