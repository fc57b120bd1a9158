import { StringDecoder } from "node:string_decoder";

/** Longest line in characters, which bounds the memory: far more than an account with all of its keys needs. */
const maxLineLength = 16 * 1_024 * 1_024;

/** The file is not a complete, unchanged backup. */
export class BackupError extends Error {
  override name = "BackupError";
}

/** Parses NDJSON. Returns the lines of a chunk together. @throws BackupError for a line that is too long, or no JSON object */
export async function* readJsonLines<T extends object>(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<T[]> {
  const decoder = new StringDecoder();
  let number = 0;
  /** The parts of a line whose end has not been read. */
  let begun: string[] = [];
  let begunLength = 0;

  function parsed(line: string): T {
    number += 1;
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as T;
    } catch {}
    throw new BackupError(`is damaged: line ${number} is not a JSON object`);
  }

  for await (const chunk of chunks) {
    const [first = "", ...others] = decoder.write(chunk).split("\n");
    const last = others.pop();
    begun.push(first);
    begunLength += first.length;
    if (begunLength > maxLineLength) {
      throw new BackupError(
        `is damaged: line ${number + 1} has more than ${maxLineLength} characters`,
      );
    }
    if (last === undefined) continue;
    yield [begun.join(""), ...others].map(parsed);
    begun = [last];
    begunLength = last.length;
  }
}

/** Returns records as NDJSON. */
export function jsonLines(records: readonly unknown[]): string {
  let text = "";
  for (const record of records) text += `${JSON.stringify(record)}\n`;
  return text;
}
