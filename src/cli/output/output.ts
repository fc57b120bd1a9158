import type { Writable } from "node:stream";
import { escapeHidden } from "connect-gateway/call";
import type { CommandError } from "../command-error.ts";
import type { Environment, OutputFormat } from "../environment.ts";
import { csvCell, csvText } from "./csv-text.ts";
import type { Details, Table } from "./table.ts";
import { control, type Part, write } from "./terminal.ts";

/** The result of a command. Only the requested form is built. */
export interface Result {
  /** One JSON document, without a line break at the end. */
  json(): string | ReturnType<typeof jsonArray>;
  /** Human-readable lines, without a line break at the end. @param width of a line, in columns of a terminal */
  text(width: number): string | Table | Details;
}

/** Prints the result of a command in the format of the environment. @throws Error if standard output cannot be written */
export async function printResult(environment: Environment, result: Result): Promise<void> {
  const { format = "table", stdout } = environment;
  if (format !== "table") return write(stdout, textIn(format, result));
  const value = result.text(widthOf(environment));
  await write(
    stdout,
    typeof value === "string" ? `${value}\n` : withBoldTitles(environment, value),
  );
}

/** Returns a result in a format that programs read. */
export function textIn(format: Exclude<OutputFormat, "table">, result: Result): string {
  if (format === "csv") return csvOf(result);
  const value = result.json();
  if (format === "json" || typeof value === "string") return `${value}\n`;
  return value.texts.map((text) => `${text}\n`).join("");
}

function csvOf(result: Result): string {
  const value = result.text(defaultWidth);
  if (typeof value === "object") return value.csv();
  const counts: Record<string, unknown> = JSON.parse(`${result.json()}`);
  const row = Object.values(counts).map((each) =>
    csvCell(typeof each === "string" ? each : JSON.stringify(each)),
  );
  return csvText(Object.keys(counts), [row]);
}

/** The width of a stream that reports none, as in a pipe. */
export const defaultWidth = 80;

/** Returns the width of lines: that of the terminal, or the variable COLUMNS, or 80. */
export function widthOf({ stdout, env }: Pick<Environment, "stdout" | "env">): number {
  const ofTerminal = "columns" in stdout ? Number(stdout.columns) : 0;
  return (
    ofTerminal || (/^[1-9]\d{0,4}$/.test(env.COLUMNS ?? "") ? Number(env.COLUMNS) : defaultWidth)
  );
}

/** Formats an error for standard error: one line of text, or one JSON document on a line. */
export function errorLine(
  { jsonErrors }: Pick<Environment, "jsonErrors">,
  code: string,
  message: string,
  request?: CommandError["request"],
): string {
  if (jsonErrors) return `${JSON.stringify({ code, message, ...request })}\n`;
  const suffix = request ? ` (reason ${request.reason}, request id ${request.requestId})` : "";
  return `error: ${visible(message)}${suffix}\n`;
}

/** Formats a fault that a command has found, for standard error: the text alone, or one JSON document on a line. */
export function faultLine(environment: Environment, code: string, fault: string): string {
  return environment.jsonErrors ? errorLine(environment, code, fault) : `${fault}\n`;
}

export function plural(count: number | bigint, noun: string): string {
  return `${count} ${noun}${BigInt(count) === 1n ? "" : "s"}`;
}

export function jsonArray(texts: readonly string[]) {
  return { texts, toString: () => `[${texts.join(",")}]` };
}

/** Formats a time as ISO 8601, to the second. @param ms milliseconds since the epoch */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Escapes characters that cannot be seen or look like a space, except line breaks. */
export function visible(text: string): string {
  return text.split("\n").map(escapeHidden).join("\n");
}

/** Whether text on a stream may have colours: only on a terminal, and not with NO_COLOR (https://no-color.org). */
export function hasColors(stream: Writable, env: NodeJS.ProcessEnv): boolean {
  return "isTTY" in stream && stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

function withBoldTitles(environment: Environment, value: Table | Details): Part[] {
  const { stdout, env } = environment;
  const lines = value.lines(widthOf(environment));
  const [titles = "", ...rows] = lines;
  if (!value.hasTitles || !hasColors(stdout, env)) return [`${lines.join("\n")}\n`];
  const { bold, notBold } = control;
  return [bold, titles, notBold, `\n${rows.map((row) => `${row}\n`).join("")}`];
}
