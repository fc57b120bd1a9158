import { StringDecoder } from "node:string_decoder";
import { present } from "../call/present.ts";

/** Parses NDJSON. Returns the lines of a chunk together. @throws SyntaxError if a line is not JSON */
export async function* readJsonLines<T>(chunks: AsyncIterable<Buffer>): AsyncGenerator<T[]> {
  const decoder = new StringDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = present(lines.pop(), "the last line");
    if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as T);
  }
}

/** Returns records as NDJSON. */
export function jsonLines(records: readonly unknown[]): string {
  let text = "";
  for (const record of records) text += `${JSON.stringify(record)}\n`;
  return text;
}
