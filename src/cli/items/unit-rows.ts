import { create } from "@bufbuild/protobuf";
import { describe, InvalidInput, textParser } from "connect-gateway/rest";
import {
  QuantityAdjustmentSchema,
  StockCountSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { present } from "../../common/present.ts";
import { httpJson } from "../../contract/http-json.ts";
import { compileValidator } from "../../contract/validator.ts";
import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { parseColumn, parsePetId } from "../output/field-text.ts";
import { fileError } from "../output/file-format.ts";
import { plural } from "../output/output.ts";
import { columnsOf, isEmptyRow, textsOf } from "./import/csv-lines.ts";
import { refuseOtherFiles } from "./import/file-kind.ts";
import { openImportFile } from "./import/import-file.ts";
import { type Line, readLines } from "./import/lines.ts";

/** The most bad rows that an error names. */
const mostFaults = 20;

/** The messages of rows, by the column with their number. */
const schemas = { delta: QuantityAdjustmentSchema, counted: StockCountSchema } as const;

/** The commands that read the columns. */
const commands = { delta: "receive", counted: "count" } as const;

export type UnitColumn = keyof typeof schemas;

/** A pet and a number of units. */
export interface UnitRow {
  readonly petId: bigint;
  readonly units: number;
  /** Where it comes from: `5=10`, or `line 2`. */
  readonly source: string;
}

interface RowTexts extends Pick<UnitRow, "source"> {
  /** Returns the texts of the row. @throws InvalidInput if it is malformed */
  readonly texts: () => { readonly petId: string; readonly units: string };
}

/**
 * Reads rows from arguments such as `5=10`, or from a CSV file. Sorts them by pet id, so that the same rows make the same
 * requests, in whatever order they are given.
 *
 * @param column the name of the column with the number
 * @param file `-` is standard input
 * @throws CommandError that names the bad rows
 */
export async function readRows(
  { stdin }: Pick<Environment, "stdin">,
  column: UnitColumn,
  texts: readonly string[],
  file: string | undefined,
): Promise<UnitRow[]> {
  if (texts.length > 0 === (file !== undefined)) {
    throw usageError("[row...]: give rows such as 5=10, or a file with --file, but not both");
  }
  const found =
    file === undefined ? texts.map(textsOfArgument) : await textsOfFile(stdin, file, column);
  if (found.length === 0) throw usageError("--file: the file has no rows");
  const read = rowReader(column);
  const rows: UnitRow[] = [];
  const faults: string[] = [];
  for (const each of found) {
    try {
      rows.push(read(each));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      faults.push(`${each.source}: ${describe(error)}`);
    }
  }
  const more = faults.length - mostFaults;
  if (more > 0) faults.splice(mostFaults, more, `and ${plural(more, "other bad row")}`);
  if (faults.length > 0) throw usageError(faults.join("; "));
  return rows.sort((a, b) => (a.petId < b.petId ? -1 : 1));
}

/** Returns a function that parses and checks a row. It throws InvalidInput, also for a pet that an earlier row has. */
function rowReader(column: UnitColumn): (texts: RowTexts) => UnitRow {
  const desc = schemas[column];
  const field = present(
    desc.fields.find(({ name }) => name === column),
    "the field of a column",
  );
  const parseUnits = textParser(field, httpJson.style) as (text: string) => number;
  const violationsOf = compileValidator(desc);
  const sources = new Map<bigint, string>();
  return ({ source, texts }) => {
    const text = texts();
    const petId = parseColumn("petId", text.petId, parsePetId);
    const units = parseColumn(column, text.units, parseUnits);
    const [violation] = violationsOf(create(desc, { petId, [column]: units }));
    if (violation) {
      throw new InvalidInput(violation.description, violation.field.replace("pet_id", "petId"));
    }
    const first = sources.get(petId);
    if (first !== undefined) throw new InvalidInput(`${petId} is already in ${first}`, "petId");
    sources.set(petId, source);
    return { petId, units, source };
  };
}

function textsOfArgument(text: string): RowTexts {
  const [, petId, units] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (petId === undefined || units === undefined) {
    throw usageError(`[row...]: must be a pet id and a number, such as 5=10, and not ${text}`);
  }
  return { source: text, texts: () => ({ petId, units }) };
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
        const texts = () => {
          const textOf = textsOf(line, names);
          return { petId: textOf("petId"), units: textOf(column) };
        };
        found.push({ source: `line ${line.number}`, texts });
      } else columns = headerOf(line, ["petId", column]);
    }
    return found;
  } catch (error) {
    throw fileError(path, error);
  }
}

function headerOf(line: Line, columns: readonly string[]): string[] {
  try {
    return columnsOf(line, columns);
  } catch (error) {
    throw error instanceof InvalidInput ? usageError(error.message) : error;
  }
}
