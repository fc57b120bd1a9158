import type { Writable } from "node:stream";
import type { CommonOptions } from "./command-options.ts";
import type { Environment } from "./environment.ts";

/** A command's result, in both of its forms. Only the one that is wanted is made. */
export interface Result {
  /** One JSON document, without a line end. */
  json(): string;
  /** Lines for people, without the last line's end. */
  text(): string;
}

/** Prints the result of a command. @throws Error when standard output can't be written to */
export async function printResult(
  { stdout }: Environment,
  { json }: CommonOptions,
  result: Result,
): Promise<void> {
  await write(stdout, `${json ? result.json() : result.text()}\n`);
}

/**
 * Writes all of a text, at the pace of whoever reads it.
 *
 * @throws Error when the stream has failed: with code EPIPE when nobody reads it any more
 */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** What is said of an error on standard error: one line, or one JSON document on a line. */
export function errorLine(code: string, message: string, asJson: boolean): string {
  return asJson ? `${JSON.stringify({ code, message })}\n` : `error: ${message}\n`;
}

/** A JSON array of texts that are JSON already. */
export function jsonArray(texts: readonly string[]): string {
  return `[${texts.join(",")}]`;
}

/**
 * A table for people: columns aligned, two spaces between them.
 *
 * @param rows their cells, as many as the header has
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows.map((row) => row.map(printable))];
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => lengthOf(line[column] ?? ""))),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - lengthOf(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One thing for people: a line for each of its properties, the values aligned. */
export function details(properties: Readonly<Record<string, string>>): string {
  const entries = Object.entries(properties);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`).join("\n");
}

/** A moment as ISO 8601, to the second. @param ms milliseconds since the epoch */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Names are anyone's text: what would steer the terminal, or hide, is shown by its code instead. */
function printable(text: string): string {
  return text.replace(
    /[\p{C}\u2028\u2029]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

function lengthOf(text: string): number {
  return [...text].length;
}
