import type { Writable } from "node:stream";
import { styleText } from "node:util";
import type { CommandError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { csvText } from "./csv-text.ts";

/** The result of a command. Only the requested form is built. */
export interface Result {
  /** One JSON document, without a line break at the end. */
  json(): string | JsonArray;
  /** Human-readable lines, without a line break at the end. */
  text(): string | Table | Details;
}

type JsonArray = ReturnType<typeof jsonArray>;
type Table = ReturnType<typeof table>;
export type Details = ReturnType<typeof details>;

/**
 * Prints the result of a command in the format of the environment.
 *
 * @throws Error if standard output cannot be written
 */
export async function printResult(environment: Environment, result: Result): Promise<void> {
  await write(environment.stdout, formatted(environment, result));
}

function formatted(environment: Environment, result: Result): string {
  const { stdout, format } = environment;
  if (format === "json") return `${jsonFor(stdout, `${result.json()}`)}\n`;
  if (format === "csv") return csvOf(result);
  if (format === "ndjson") {
    const value = result.json();
    const texts = typeof value === "string" ? [value] : value.texts;
    return texts.map((text) => `${jsonFor(stdout, text)}\n`).join("");
  }
  const value = result.text();
  return `${typeof value === "object" && "rows" in value ? boldHeader(environment, value) : printableLines(`${value}`)}\n`;
}

/** Returns a result as CSV: a header and rows. */
function csvOf(result: Result): string {
  const value = result.text();
  if (typeof value === "object" && "rows" in value) {
    return csvText(
      value.header.map(columnName),
      value.rows.map((row) => row.map(csvCell)),
    );
  }
  if (typeof value === "object") {
    const { properties } = value;
    return csvText(Object.keys(properties).map(columnName), [
      Object.values(properties).map(csvCell),
    ]);
  }
  const counts: Record<string, unknown> = JSON.parse(`${result.json()}`);
  return csvText(Object.keys(counts), [
    Object.values(counts).map((each) =>
      csvCell(typeof each === "string" ? each : JSON.stringify(each)),
    ),
  ]);
}

/**
 * Returns the text of a CSV cell. An apostrophe precedes a text that a spreadsheet would run as a formula, because
 * callers choose names and notes (https://owasp.org/www-community/attacks/CSV_Injection).
 */
function csvCell(value: string): string {
  const text = printable(value);
  return /^[=+\-@＝＋－＠]/.test(text) && !/^[+-]?\d+(?:\.\d+)?$/.test(text) ? `'${text}` : text;
}

/**
 * Returns JSON for a stream. On a terminal, control and invisible characters are escaped, because a terminal obeys
 * them. Elsewhere the text does not change, so that the hashes of audit entries match.
 */
export function jsonFor(stdout: Writable, json: string): string {
  if (!("isTTY" in stdout && stdout.isTTY === true)) return json;
  return json.replace(invisible, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** Returns the name of a CSV column: `PER MINUTE` is `per_minute`. */
function columnName(title: string): string {
  return title.toLowerCase().replaceAll(" ", "_");
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
export function errorLine(
  code: string,
  message: string,
  jsonErrors: boolean,
  request?: CommandError["request"],
): string {
  if (jsonErrors) return `${JSON.stringify({ code, message, ...request })}\n`;
  const suffix = request ? ` (reason ${request.reason}, request id ${request.requestId})` : "";
  return `error: ${printableLines(message)}${suffix}\n`;
}

/** Formats a fault that a command has found, for standard error: the text alone, or one JSON document on a line. */
export function faultLine({ format }: Environment, code: string, fault: string): string {
  return format === "json" ? errorLine(code, fault, true) : `${fault}\n`;
}

/** Returns a number with its noun. */
export function plural(count: number | bigint, noun: string): string {
  return `${count} ${noun}${BigInt(count) === 1n ? "" : "s"}`;
}

/** Joins the JSON of elements into a JSON array. */
export function jsonArray(texts: readonly string[]) {
  return { texts, toString: () => `[${texts.join(",")}]` };
}

/**
 * Makes a table.
 *
 * @param header titles of the columns
 * @param rows cells of each row, as many as the header has
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[]) {
  return { header, rows, toString: () => alignedText(header, rows) };
}

/** Returns aligned columns, two spaces between them. */
function alignedText(header: readonly string[], rows: readonly (readonly string[])[]): string {
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

/** Makes named values. */
export function details(properties: Readonly<Record<string, string>>) {
  return { properties, toString: () => detailsText(properties) };
}

/** Returns one line for each value, with aligned values. */
function detailsText(properties: Readonly<Record<string, string>>): string {
  const entries = Object.entries(properties);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`).join("\n");
}

/** Formats a time as ISO 8601, to the second. @param ms milliseconds since the epoch */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

const invisible = /[\p{C}\u2028\u2029]/gu;

/** Replaces control and invisible characters with their code points: names are untrusted text. */
export function printable(text: string): string {
  return text.replace(invisible, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Like {@link printable}, but keeps line breaks. */
function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** Whether text on a stream may have colours: only on a terminal, and not with NO_COLOR (https://no-color.org). */
export function hasColors(stream: Writable, env: NodeJS.ProcessEnv): boolean {
  return "isTTY" in stream && stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

function boldHeader({ stdout, env }: Environment, value: Table): string {
  const text = value.toString();
  if (!hasColors(stdout, env)) return text;
  const [header = "", ...lines] = text.split("\n");
  return [styleText("bold", header, { validateStream: false }), ...lines].join("\n");
}

function lengthOf(text: string): number {
  return [...text].length;
}
