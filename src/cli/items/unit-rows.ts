import { create } from "@bufbuild/protobuf";
import { describe, InvalidInput, textParser } from "connect-gateway/rest";
import {
  QuantityAdjustmentSchema,
  StockCountSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { present } from "../../common/present.ts";
import { withText } from "../../common/quote.ts";
import { httpJson } from "../../contract/json.ts";
import { compileValidator } from "../../contract/validator.ts";
import { CommandError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { valueOfCell } from "../output/csv-text.ts";
import { parseColumn, parsePetId } from "../output/field-text.ts";
import { fileError } from "../output/file-format.ts";
import { plural } from "../output/output.ts";
import type { Session } from "../session/clients.ts";
import { petsBySku, skuFault, unknownSku } from "../session/pets.ts";
import { columnsOf, isEmptyRow, textsOf } from "./import/csv-lines.ts";
import { refuseOtherFiles } from "./import/file-kind.ts";
import { openImportFile } from "./import/import-file.ts";
import { readLines } from "./import/lines.ts";

const mostFaults = 20;

/** The messages of rows, by the column with their number. */
const schemas = { delta: QuantityAdjustmentSchema, counted: StockCountSchema } as const;

/** The commands that read the columns. */
const commands = { delta: "receive", counted: "count" } as const;

export type UnitColumn = keyof typeof schemas;

/** Where rows come from: arguments and values of --sku, or a file. */
export interface RowSources {
  readonly texts: readonly string[];
  readonly sku?: readonly string[] | undefined;
  /** `-` is standard input. */
  readonly file?: string | undefined;
}

/** A number of units of a pet. A row that was read can name it by its SKU. */
export interface UnitRow<P = bigint> {
  readonly pet: P;
  readonly units: number;
  /** Where it comes from: `5=10`, or `line 2`. */
  readonly source: string;
}

interface RowTexts {
  readonly source: string;
  /** Returns a function that returns the text of a column, or "". @throws InvalidInput if the row is malformed */
  readonly texts: () => (column: string) => string;
}

/** Reads rows from arguments such as `5=10`, or from a CSV file with the column. @throws CommandError that names bad rows */
export async function readRows(
  { stdin }: Pick<Environment, "stdin">,
  column: UnitColumn,
  { texts, sku = [], file }: RowSources,
): Promise<UnitRow<bigint | string>[]> {
  if (texts.length + sku.length > 0 === (file !== undefined)) {
    throw usageError("[row...]: give rows such as 5=10, or a file with --file, but not both");
  }
  const found =
    file === undefined
      ? [
          ...texts.map((text) => textsOfArgument(text, "petId", column)),
          ...sku.map((text) => textsOfArgument(text, "sku", column)),
        ]
      : await textsOfFile(stdin, file, column);
  if (found.length === 0) throw usageError("--file: the file has no rows");
  const read = rowReader(column);
  const rows: UnitRow<bigint | string>[] = [];
  const faults: string[] = [];
  for (const each of found) {
    try {
      rows.push(read(each));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      faults.push(`${each.source}: ${describe(error)}`);
    }
  }
  refuseFaults("invalid_argument", faults);
  return rows;
}

/**
 * Replaces SKUs by pet ids. Sorts rows by pet id, so that the same rows in any order make the same requests.
 *
 * @throws CommandError that names the rows with unknown SKUs, or with the pets of other rows
 */
export async function withPetIds(
  session: Session,
  rows: readonly UnitRow<bigint | string>[],
): Promise<UnitRow[]> {
  const skus = rows.flatMap(({ pet }) => (typeof pet === "string" ? pet : []));
  const found = await petsBySku(session, skus);
  const unknown: string[] = [];
  const repeated: string[] = [];
  const sources = new Map<bigint, string>();
  const known = rows.flatMap((row) => {
    const pet = typeof row.pet === "string" ? found.get(row.pet) : row.pet;
    if (pet === undefined) {
      unknown.push(`${row.source}: sku: ${unknownSku(`${row.pet}`)}`);
      return [];
    }
    const first = sources.get(pet);
    if (first !== undefined) repeated.push(`${row.source}: pet ${pet} is already in ${first}`);
    sources.set(pet, row.source);
    return { ...row, pet };
  });
  refuseFaults("not_found", unknown);
  refuseFaults("invalid_argument", repeated);
  return known.sort((a, b) => (a.pet < b.pet ? -1 : 1));
}

/** @throws CommandError that names the first faults, if there are any */
function refuseFaults(code: "invalid_argument" | "not_found", faults: readonly string[]): void {
  if (faults.length === 0) return;
  const more = faults.length - mostFaults;
  const others = more > 0 ? `and ${plural(more, "other bad row")}` : [];
  const message = faults.slice(0, mostFaults).concat(others).join("; ");
  throw code === "not_found" ? new CommandError(code, message) : usageError(message);
}

/** Returns a function that parses and checks a row. It throws InvalidInput, also for a pet that an earlier row has. */
function rowReader(column: UnitColumn): (texts: RowTexts) => UnitRow<bigint | string> {
  const desc = schemas[column];
  const field = present(
    desc.fields.find(({ name }) => name === column),
    "the field of a column",
  );
  const parseUnits = textParser(field, httpJson.style) as (text: string) => number;
  const violationsOf = compileValidator(desc);
  const sources = new Map<bigint, string>();
  return ({ source, texts }) => {
    const textOf = texts();
    const [idText, sku] = [textOf("petId"), valueOfCell(textOf("sku"))];
    if ((idText === "") === (sku === "")) throw new InvalidInput("must have either petId or sku");
    const skuError = sku === "" ? undefined : skuFault(sku);
    if (skuError !== undefined) throw new InvalidInput(withText(skuError, sku), "sku");
    const petId = sku === "" ? parseColumn("petId", idText, parsePetId) : undefined;
    const units = parseColumn(column, textOf(column), parseUnits);
    const [violation] = violationsOf(create(desc, { petId: petId ?? 1n, [column]: units }));
    if (violation) {
      throw new InvalidInput(violation.description, violation.field.replace("pet_id", "petId"));
    }
    if (petId === undefined) return { pet: sku, units, source };
    const first = sources.get(petId);
    if (first !== undefined) throw new InvalidInput(`${petId} is already in ${first}`, "petId");
    sources.set(petId, source);
    return { pet: petId, units, source };
  };
}

/** @param name what the pet of the argument is named by */
function textsOfArgument(text: string, name: "petId" | "sku", column: UnitColumn): RowTexts {
  const [, pet, units] = /^(.+)=([^=]*)$/s.exec(text) ?? [];
  if (pet === undefined || units === undefined) {
    throw usageError(
      name === "petId"
        ? `[row...]: must be a pet id and a number, such as 5=10, and not ${text}`
        : `--sku: must be a SKU and a number, such as FI-501=10, and not ${text}`,
    );
  }
  const texts: Readonly<Record<string, string>> = { [name]: pet, [column]: units };
  return { source: text, texts: () => (each) => texts[each] ?? "" };
}

async function textsOfFile(
  stdin: Environment["stdin"],
  path: string,
  column: UnitColumn,
): Promise<RowTexts[]> {
  await using file = await openImportFile(path, stdin);
  refuseOtherFiles(path, file.start, () => `inventory items ${commands[column]} --file -`);
  const found: RowTexts[] = [];
  let columns: readonly string[] | undefined;
  try {
    for await (const line of readLines(file.read())) {
      if (isEmptyRow(line)) continue;
      const names = columns;
      if (names) {
        found.push({ source: `line ${line.number}`, texts: () => textsOf(line, names) });
      } else {
        columns = columnsOf(line, { needed: [column], optional: ["petId", "sku"] }, usageError);
      }
    }
    return found;
  } catch (error) {
    throw fileError(path, error);
  }
}
