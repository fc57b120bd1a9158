import type { Writable } from "node:stream";
import type { CommonOptions } from "./command-options.ts";
import type { Environment } from "./environment.ts";

/** The result of a command in two formats. Only the requested one is built. */
export interface Result {
  /** One JSON document, without a line break at the end. */
  json(): string;
  /** Human-readable lines, without a line break at the end. */
  text(): string;
}

/** Prints the result of a command. @throws Error if standard output cannot be written */
export async function printResult(
  { stdout }: Environment,
  { json }: CommonOptions,
  result: Result,
): Promise<void> {
  await write(stdout, `${json ? result.json() : result.text()}\n`);
}

/**
 * Writes a text and waits until the stream has accepted it.
 *
 * @throws Error if the stream fails; its code is EPIPE if the reader has closed the pipe
 */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Formats an error for standard error: one line of text, or one JSON document on a line. */
export function errorLine(code: string, message: string, asJson: boolean): string {
  return asJson ? `${JSON.stringify({ code, message })}\n` : `error: ${message}\n`;
}

/** Joins JSON texts into a JSON array. */
export function jsonArray(texts: readonly string[]): string {
  return `[${texts.join(",")}]`;
}

/**
 * Formats a human-readable table: aligned columns, two spaces between them.
 *
 * @param rows cells of each row, as many as the header has
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

/** Formats properties as human-readable text: one line each, with aligned values. */
export function details(properties: Readonly<Record<string, string>>): string {
  const entries = Object.entries(properties);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`).join("\n");
}

/** Formats a time as ISO 8601, to the second. @param ms milliseconds since the epoch */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Replaces control and invisible characters with their code points: names are untrusted text. */
function printable(text: string): string {
  return text.replace(
    /[\p{C}\u2028\u2029]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

function lengthOf(text: string): number {
  return [...text].length;
}
