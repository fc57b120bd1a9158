import type { ImportedPet } from "../../../../../../../gen/catalog/v1/catalog_pb.ts";
import { kindBytes, otherKindOf } from "../../../../../../../src/common/file-kind.ts";
import { type PetNames, petText } from "../../../pets/names.ts";
import { type Effect, isLargeChange, quantityEffect } from "../../../shared/effect.ts";
import type { Item } from "../../item.ts";
import { type ColumnName, createItemReader, FileFault, type Row } from "./item-reader.ts";

/** What an import of a file would do. */
export interface CheckedFile {
  /** The good rows that are not imported yet. */
  readonly rows: readonly PreviewRow[];
  /** The number of good rows that are imported already. */
  readonly imported: number;
  /** The first bad rows. */
  readonly faults: readonly { readonly line: number; readonly fault: string }[];
  readonly badRows: number;
  /** The number of pets that the stock does not have. */
  readonly added: number;
  /** The number of pets whose quantity, status, name or SKU differs. */
  readonly changed: number;
  /** The quantities that change by a factor of ten or more. New pets have no old quantity. */
  readonly large: readonly Effect[];
}

/** A row with an item. */
export interface GoodRow {
  readonly line: number;
  readonly item: ImportedPet;
}

/** A pet of the stock with its names. */
export type KnownPet = Item & PetNames;

/** A row, and the pet as it is now; undefined if the stock does not have it. */
export interface PreviewRow extends GoodRow {
  readonly before: KnownPet | undefined;
}

/** The largest file, in bytes: more than the most rows need. */
const largestFile = 32 * 1_024 * 1_024;
/** Most rows, because all of them are in memory. */
const mostRows = 200_000;
const useCommandLine = "Split the file, or import it by the command line.";
const mostFaults = 100;

/** What a file is compared with, and how its reading is watched. */
interface CheckOptions {
  /** The pets now, by id. */
  readonly stock: ReadonlyMap<bigint, KnownPet>;
  /** Items that need not be imported again, by the ids of their pets. */
  readonly imported: ReadonlyMap<bigint, ImportedPet>;
  /** What each column of a CSV file has; its first line says so if undefined. */
  readonly chosen: readonly (ColumnName | undefined)[] | undefined;
  readonly signal: AbortSignal;
  /** Called with the number of bytes that were read. */
  onProgress(bytes: number): void;
}

/**
 * Reads a whole file and checks each row.
 *
 * @throws FileFault if it is not a file of items, or too large. The signal's reason if it is aborted. NotReadableError if
 *   the file has changed since it was chosen
 */
export async function checkFile(file: Blob, options: CheckOptions): Promise<CheckedFile> {
  const { stock, imported, chosen, signal, onProgress } = options;
  if (file.size > largestFile) {
    throw new FileFault(`The file is larger than 32 MiB. ${useCommandLine}`);
  }
  const start = new Uint8Array(await file.slice(0, kindBytes).arrayBuffer());
  signal.throwIfAborted();
  const kind = otherKindOf(start);
  if (kind !== undefined) throw new FileFault(`The file ${kind}.`);
  if (/^\s*\[/.test(new TextDecoder().decode(start))) {
    throw new FileFault("The file is a JSON array. Import it by the command line.");
  }
  const found = {
    rows: [] as PreviewRow[],
    imported: 0,
    faults: [] as { line: number; fault: string }[],
    badRows: 0,
    added: 0,
    changed: 0,
    large: [] as Effect[],
  };

  function take(row: Row): void {
    if ("fault" in row) {
      found.badRows += 1;
      if (found.faults.length < mostFaults) found.faults.push(row);
    } else if (isSame(row.item, imported.get(row.item.petId))) found.imported += 1;
    else {
      const before = stock.get(row.item.petId);
      if (!before) found.added += 1;
      else if (!isSame(row.item, before)) {
        found.changed += 1;
        for (const effect of largeEffect(row, before)) found.large.push(effect);
      }
      found.rows.push({ ...row, before });
    }
    if (found.rows.length + found.imported + found.badRows > mostRows) {
      throw new FileFault(`The file has more than 200,000 rows. ${useCommandLine}`);
    }
  }

  const reader = createItemReader(chosen);
  const text = new TextDecoder();
  const bytes = file.stream().getReader();
  for (let read = 0; ; ) {
    const { value, done } = await bytes.read();
    signal.throwIfAborted();
    if (done) break;
    for (const row of reader.read(text.decode(value, { stream: true }))) take(row);
    read += value.length;
    onProgress(read);
  }
  for (const row of [...reader.read(text.decode()), ...reader.end()]) take(row);
  return found;
}

function largeEffect({ line, item }: GoodRow, { quantity }: Item): readonly Effect[] {
  const after = item.quantity ?? 0;
  if (!isLargeChange(quantity, after)) return [];
  return quantityEffect(`Line ${line}, ${petText(item.petId)}`, quantity, after);
}

/** Whether a pet has the values of a row. It can have any name and SKU if the row has none. */
export function isSame(
  row: ImportedPet,
  other: Pick<ImportedPet, "quantity" | "status" | "name" | "sku"> | undefined,
): boolean {
  const { quantity, status, name = other?.name, sku = other?.sku } = row;
  return (
    quantity === other?.quantity &&
    status === other?.status &&
    name === other?.name &&
    sku === other?.sku
  );
}
