import { create } from "@bufbuild/protobuf";
import { acceptedIntegers, quote, rangeText } from "connect-gateway/call";
import {
  type ImportedPet,
  ImportedPetSchema,
} from "../../../../../../../gen/catalog/v1/catalog_pb.ts";
import { PetStatus, PetStatusSchema } from "../../../../../../../gen/inventory/v1/inventory_pb.ts";
import { valueOfCell } from "../../../../../../../src/cli/output/csv-text.ts";
import { columnFault, separatorFault } from "../../../../../../../src/common/csv-header.ts";
import { enumNumber, enumWords } from "../../../../../../../src/common/enum-word.ts";
import { present } from "../../../../../../../src/common/present.ts";
import { withText } from "../../../../../../../src/common/quote.ts";
import { httpAnnotations } from "../../../../../../../src/contract/annotations.ts";
import { compileValidator } from "../../../../../../../src/contract/validator.ts";

/** A row of a file: its item, or what is wrong with it. */
export type Row =
  | { readonly line: number; readonly item: ImportedPet }
  | { readonly line: number; readonly fault: string };

/** A file that is not a file of items. */
export class FileFault extends Error {
  /** The names of its columns, if they are other ones. */
  readonly names: readonly string[];

  constructor(message: string, names: readonly string[] = []) {
    super(message);
    this.names = names;
  }
}

/** A column that an import knows. */
export type ColumnName = (typeof columns)[number];

/** Reads a file of items, as the command line's `items import` does, part by part. */
export interface ItemReader {
  /** @returns the rows that end in this part. @throws FileFault */
  read(part: string): Row[];
  /** @returns the last row, if the file does not end with a line break. @throws FileFault if the file is empty */
  end(): Row[];
}

/** Longest line, in characters. It bounds the memory for a file without line breaks. */
const longestLine = 65_536;
export const columns = ["petId", "name", "sku", "quantity", "status"] as const;
const optionalColumns: readonly string[] = ["name", "sku"] satisfies ColumnName[];
const neededColumns = columns.filter((column) => !optionalColumns.includes(column));
const malformedQuotes = "malformed quotes: quote whole fields, and double quotes within them";
const columnsText = `the columns ${neededColumns.join(", ")}, and can have ${optionalColumns.join(" and ")}`;

/** Not an Error, because the stack traces of a file of bad rows would take seconds. */
class RowFault {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** The values of an item before they are checked. */
type Values = Readonly<Record<string, unknown>>;

/**
 * Creates a reader. A file whose first line begins with `{` is NDJSON, any other one is CSV.
 *
 * @param chosen what each column of a CSV file has; its first line says so if undefined
 */
export function createItemReader(chosen?: readonly (ColumnName | undefined)[]): ItemReader {
  let begun = "";
  let line = 0;
  let valuesOf: ((text: string) => Values) | undefined;
  const lineOfPet = new Map<bigint, number>();
  const lineOfSku = new Map<string, number>();

  function rowOf(text: string): Row | undefined {
    line += 1;
    const content = text.endsWith("\r") ? text.slice(0, -1) : text;
    // Spreadsheets write rows of empty fields behind the last one.
    if (valuesOf === valuesOfJson ? content.trim() === "" : /^[\s,"]*$/.test(content)) {
      return undefined;
    }
    if (!valuesOf) {
      valuesOf = content.trimStart().startsWith("{")
        ? valuesOfJson
        : csvValues(content, line, chosen);
      if (valuesOf !== valuesOfJson) return undefined;
    }
    try {
      if (content.length > longestLine) {
        throw new RowFault(`must have at most ${longestLine} characters`);
      }
      const item = itemOf(valuesOf(content));
      const { petId, sku = "" } = item;
      const first = lineOfPet.get(petId);
      if (first !== undefined) throw new RowFault(`petId: ${petId} is already on line ${first}`);
      const firstSku = lineOfSku.get(sku);
      if (firstSku !== undefined) {
        throw new RowFault(`sku: ${quote(sku)} is already on line ${firstSku}`);
      }
      lineOfPet.set(petId, line);
      if (sku !== "") lineOfSku.set(sku, line);
      return { line, item };
    } catch (error) {
      if (error instanceof RowFault) return { line, fault: error.message };
      throw error;
    }
  }

  return {
    read(part) {
      const texts = part.split("\n");
      const last = texts.pop() ?? "";
      if (texts.length > 0) texts[0] = begun + texts[0];
      // No more is kept of a line than shows that it is too long.
      begun = (texts.length > 0 ? last : begun + last).slice(0, longestLine + 2);
      return texts.map(rowOf).filter((row) => row !== undefined);
    },
    end() {
      const row = rowOf(begun);
      if (!valuesOf) {
        throw new FileFault(
          `The file is empty. The first line of a CSV file must have ${columnsText}.`,
        );
      }
      return row ? [row] : [];
    },
  };
}

function csvValues(
  header: string,
  line: number,
  chosen: readonly (ColumnName | undefined)[] | undefined,
): (text: string) => Values {
  const text = header.slice(0, longestLine);
  const read = withoutEmptyEnd(fieldsOf(text), 0);
  const separator = separatorFault(text);
  const names = chosen ?? read;
  const fault =
    separator ??
    (chosen
      ? undefined
      : read
        ? columnFault(read, neededColumns, optionalColumns)
        : malformedQuotes);
  if (!names || fault !== undefined) {
    throw new FileFault(
      `Line ${line}: ${fault}. The line must have ${columnsText}, or the file must be NDJSON.`,
      separator === undefined && read && read.length > 1 ? read : [],
    );
  }
  return (text) => {
    const fields = withoutEmptyEnd(fieldsOf(text), names.length);
    if (!fields) throw new RowFault(malformedQuotes);
    if (fields.length !== names.length) {
      throw new RowFault(`must have ${names.length} fields, has ${fields.length}`);
    }
    const values = names.flatMap((name, index) =>
      name === undefined
        ? []
        : [[name, (name === "petId" || name === "quantity" ? numberIn : textIn)(fields[index])]],
    );
    return { ...(chosen && { status: "available" }), ...Object.fromEntries(values) };
  };
}

/** Drops the empty fields at the end, so that at least `least` fields remain. */
function withoutEmptyEnd(fields: string[] | undefined, least: number): string[] | undefined {
  while (fields && fields.length > least && fields.at(-1)?.trim() === "") fields.pop();
  return fields;
}

/** Returns the fields of a line (RFC 4180); undefined if its quotes are malformed. */
export function fieldsOf(line: string): string[] | undefined {
  if (!line.includes('"')) return line.split(",");
  if (!/^(?:[^",]*|"(?:[^"]|"")*")(?:,(?:[^",]*|"(?:[^"]|"")*"))*$/.test(line)) return undefined;
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
    ([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain,
  );
}

/** Accepts one spelling of each integer, as the service does. */
function numberIn(text = ""): unknown {
  return /^(?:0|-?[1-9]\d{0,19})$/.test(text) ? BigInt(text) : text;
}

/** An empty cell is an absent value. */
function textIn(text = ""): string | undefined {
  return valueOfCell(text) || undefined;
}

function valuesOfJson(text: string): Values {
  let values: unknown;
  try {
    values = JSON.parse(text, exactNumber);
  } catch {
    throw new RowFault("not valid JSON");
  }
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    throw new RowFault("must be an object");
  }
  const unknown = Object.keys(values).find((name) => !columns.some((column) => column === name));
  if (unknown !== undefined) throw new RowFault(`unknown member ${quote(unknown)}`);
  const members = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon);
  if (members.length > Object.keys(values).length) throw new RowFault("has a member twice");
  return values as Values;
}

/** Keeps all digits of an integer. Old browsers do not pass the text of a number: there, large ids are refused. */
function exactNumber(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || !Number.isInteger(value)) return value;
  if (Number.isSafeInteger(value)) return BigInt(value);
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}

const violationsOf = compileValidator(ImportedPetSchema);

function itemOf({ petId, quantity, status, name, sku }: Values): ImportedPet {
  const known = enumNumber(PetStatusSchema, typeof status === "string" ? status : "");
  const item = create(ImportedPetSchema, {
    petId: integerOf("petId", petId),
    quantity: Number(integerOf("quantity", quantity)),
    status: (known ?? PetStatus.UNSPECIFIED) as PetStatus,
    ...textsOf({ name, sku }),
  });
  if (known === undefined) {
    const reason = `status: must be one of ${enumWords(PetStatusSchema).join(", ")}`;
    throw new RowFault(typeof status === "string" ? withText(reason, status) : reason);
  }
  const [violation] = violationsOf(item);
  if (violation?.field === "name" || violation?.field === "sku") {
    const { field, description } = violation;
    throw new RowFault(withText(`${field}: ${description}`, item[field] ?? ""));
  }
  return item;
}

function textsOf(values: Values): Partial<Record<string, string>> {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && typeof value !== "string") {
      throw new RowFault(`${name}: must be a string`);
    }
  }
  return values as Record<string, string>;
}

function integerOf(name: "petId" | "quantity", value: unknown): bigint {
  const range = present(
    acceptedIntegers(ImportedPetSchema.field[name], httpAnnotations),
    "the range of integers",
  );
  if (typeof value !== "bigint" || value < range.min || value > range.max) {
    const reason = `${name}: must be an integer ${rangeText(range)} in plain decimal`;
    const isText = typeof value === "string" || typeof value === "bigint";
    throw new RowFault(isText ? withText(reason, String(value)) : reason);
  }
  return value;
}
