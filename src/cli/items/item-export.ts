import {
  type InventoryItem,
  InventoryItemSchema,
  PetStatusSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../call/enum-word.ts";
import { httpJson } from "../../contract/http-json.ts";
import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interruptible } from "../interruption.ts";
import { itemColumns } from "../output/field-text.ts";
import { type FileFormat, fileError, formatOf, standardStream } from "../output/file-format.ts";
import { jsonArray, printResult } from "../output/output.ts";
import { replaceFile } from "../output/replace-file.ts";
import { write } from "../output/terminal.ts";
import { withSession } from "../session/session.ts";
import { refuseOtherOutput } from "./import/file-kind.ts";

/** Options of `items export`. */
interface ExportOptions {
  readonly format?: FileFormat;
}

/** Items per write. */
const chunkSize = 1_000;

/**
 * Writes all items in a format that can be imported; to standard output also as one JSON array. A file is replaced
 * as a whole, or not changed.
 *
 * @param path the file; standard output if it is `-` or absent
 * @throws CommandError, or Error if standard output cannot be written
 */
export async function exportItems(
  environment: Environment,
  path: string | undefined,
  options: ExportOptions,
): Promise<void> {
  if (path !== undefined && path !== standardStream) {
    return exportToFile(environment, path, options);
  }
  if (options.format) {
    throw usageError("--format: is the format of a file. For standard output, use --output");
  }
  const items = await listItems(environment);
  const { format = "table" } = environment;
  for (const text of texts(items, format === "table" ? "csv" : format)) {
    await write(environment.stdout, text);
  }
}

async function exportToFile(
  environment: Environment,
  path: string,
  options: ExportOptions,
): Promise<void> {
  refuseOtherOutput(path);
  const format = formatOf(path, options.format);
  const items = await listItems(environment);
  await interruptible(
    (signal) => replaceFile(path, texts(items, format), signal),
    `Interrupted: ${path} was not written.`,
  ).catch((error: unknown) => {
    throw fileError(path, error);
  });
  await printResult(environment, {
    json: () => JSON.stringify({ exported: items.length, file: path }),
    text: () => `exported ${items.length} to ${path}`,
  });
}

async function listItems(environment: Environment): Promise<InventoryItem[]> {
  const { items } = await withSession(environment, ({ inventory }) => inventory.listInventory({}));
  return items;
}

function* texts(items: readonly InventoryItem[], format: FileFormat): Generator<string> {
  if (format === "json") {
    yield `${jsonArray(items.map(json))}\n`;
    return;
  }
  if (format === "csv") {
    yield `${itemColumns.join(",")}\n`;
  }
  const line = format === "csv" ? csv : json;
  for (let from = 0; from < items.length; from += chunkSize) {
    const lines = items.slice(from, from + chunkSize).map((item) => `${line(item)}\n`);
    yield lines.join("");
  }
}

/** Returns an item as a CSV row. No value needs quotes. */
function csv({ petId, quantity, status }: InventoryItem): string {
  const values = { petId, quantity, status: enumWord(PetStatusSchema, status) };
  return itemColumns.map((column) => values[column]).join(",");
}

function json(item: InventoryItem): string {
  return httpJson.encodeJson(InventoryItemSchema, item);
}
