import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { quote } from "connect-gateway/call";
import { describe, InvalidInput, MalformedJson } from "connect-gateway/rest";
import { type ImportedPet, ImportedPetSchema } from "../../../../gen/catalog/v1/catalog_pb.ts";
import { openNameless } from "../../../backup/spool.ts";
import { kindBytes } from "../../../common/file-kind.ts";
import { withText } from "../../../common/quote.ts";
import { httpJson } from "../../../contract/json.ts";
import { compileValidator } from "../../../contract/validator.ts";
import { CommandError } from "../../command-error.ts";
import { itemColumns, itemFromText } from "../../output/field-text.ts";
import { fileError, standardStream } from "../../output/file-format.ts";
import { columnsOf, expectedHeader, isEmptyRow, textsOf } from "./csv-lines.ts";
import { type Line, maxLineBytes } from "./lines.ts";

export type ImportFile = Awaited<ReturnType<typeof openImportFile>>;

/**
 * Opens a file, or standard input (`-`), so that it can be read more than once. Copies a pipe or standard input to a temporary
 * file first. The temporary file has no name, so it is deleted with the process.
 *
 * @throws CommandError if the file cannot be read
 */
export async function openImportFile(path: string, stdin: Readable) {
  let handle: FileHandle | undefined;
  try {
    const opened = path === standardStream ? await spool(stdin) : await openPath(path);
    handle = opened;
    const { size } = await opened.stat();
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(kindBytes), 0, kindBytes, 0);
    return {
      /** The first {@link kindBytes} bytes. */
      start: buffer.subarray(0, bytesRead),
      size,
      read: (): AsyncIterable<Buffer> => opened.createReadStream({ start: 0, autoClose: false }),
      [Symbol.asyncDispose]: () => opened.close(),
    };
  } catch (error) {
    await handle?.close();
    throw fileError(path, error);
  }
}

async function openPath(path: string): Promise<FileHandle> {
  const handle = await open(path);
  const stats = await handle.stat();
  // For a directory, reading fails with the error to report.
  return stats.isFile() ? handle : spool(handle.createReadStream());
}

async function spool(source: Readable): Promise<FileHandle> {
  const handle = await openNameless();
  try {
    await handle.writeFile(source);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A row of a file: its item, or the error that makes it a bad row. In a JSON array, a line is an element. */
export type Row =
  | { readonly line: number; readonly item: ImportedPet }
  | { readonly line: number; readonly fault: string };

/** Parses a line as a row. @param read parses the item; an InvalidInput that it throws makes the row a bad one */
function rowOf({ number, bytes }: Line, read: (bytes: Buffer) => ImportedPet): Row {
  if (!bytes) return { line: number, fault: `must have at most ${maxLineBytes} bytes` };
  try {
    return { line: number, item: read(bytes) };
  } catch (error) {
    if (error instanceof InvalidInput) return { line: number, fault: describe(error) };
    throw error;
  }
}

const violationsOf = compileValidator(ImportedPetSchema);
/** The names of the fields of an item in JSON and CSV, by their names in the proto file. */
export const jsonNames = new Map(
  ImportedPetSchema.fields.map(({ name, jsonName }) => [name, jsonName]),
);

/**
 * Checks rows against the rules in the proto file, and that no pet and no SKU occurs twice. Keeps only the pet ids and
 * SKUs of a file in memory.
 *
 * @param unit what the number of a row counts
 */
export async function* checkRows(rows: AsyncIterable<Row>, unit = "line"): AsyncGenerator<Row> {
  /** The lines of pet ids and SKUs. */
  const lines = new Map<bigint | string, number>();
  for await (const row of rows) {
    const fault = "item" in row ? faultOf(row.item, lines, unit) : undefined;
    if ("item" in row && fault === undefined) {
      lines.set(row.item.petId, row.line);
      if (row.item.sku) lines.set(row.item.sku, row.line);
    }
    yield fault === undefined ? row : { line: row.line, fault };
  }
}

function faultOf(
  item: ImportedPet,
  lines: ReadonlyMap<bigint | string, number>,
  unit: string,
): string | undefined {
  const violations = violationsOf(item);
  if (violations.length > 0) {
    const texts: Readonly<Record<string, string | undefined>> = { name: item.name, sku: item.sku };
    return violations
      .map(({ field, description }) => {
        const text = texts[field];
        const fault = text === undefined ? description : withText(description, text);
        return `${jsonNames.get(field) ?? field}: ${fault}`;
      })
      .join("; ");
  }
  const { petId, sku = "" } = item;
  const isPet = lines.has(petId);
  const first = lines.get(isPet ? petId : sku);
  return first === undefined
    ? undefined
    : `${isPet ? `petId: ${petId}` : `sku: ${quote(sku)}`} is already ${unit === "line" ? "on" : "in"} ${unit} ${first}`;
}

/** Reads the rows of a CSV file, whose header names the columns. @throws CommandError if it lacks, repeats or adds one */
export async function* csvRows(lines: AsyncIterable<Line>): AsyncGenerator<Row> {
  let columns: readonly string[] | undefined;
  for await (const line of lines) {
    if (isEmptyRow(line)) continue;
    const names = columns;
    if (names) yield rowOf(line, () => itemFromText(textsOf(line, names)));
    else columns = columnsOf(line, itemColumns, invalidFile);
  }
  if (!columns) throw invalidFile(`the file is empty: ${expectedHeader(itemColumns)}`);
}

const invalidFile = (message: string) => new CommandError("invalid_argument", message);

/** Reads the rows of JSON or NDJSON: each element or line is an item in the JSON of the HTTP interface. */
export async function* jsonRows(lines: AsyncIterable<Line>): AsyncGenerator<Row> {
  for await (const line of lines) {
    if (line.bytes && /^\s*$/.test(line.bytes.toString("latin1"))) continue;
    yield rowOf(line, (bytes) => itemFromJson(bytes, line.start));
  }
}

/** @param start where an element begins in its file; absent for a line */
function itemFromJson(bytes: Buffer, start: Line["start"]): ImportedPet {
  try {
    return httpJson.decodeJson(ImportedPetSchema, bytes);
  } catch (error) {
    throw error instanceof MalformedJson ? new InvalidInput(placed(error.message, start)) : error;
  }
}

/** Replaces the position in an element by that in its file. The row of a line has the number of the line. */
function placed(reason: string, start: Line["start"]): string {
  return reason.replace(/ at line (\d+), column (\d+)$/, (_, line: string, column: string) => {
    if (!start) return ` at column ${column}`;
    const before = line === "1" ? start.column - 1 : 0;
    return ` at line ${start.line + Number(line) - 1}, column ${before + Number(column)}`;
  });
}
