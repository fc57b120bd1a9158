import type { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import type { ListedEntry } from "../../catalog-store.ts";
import { listedEntry } from "../../entry-message.ts";
import { itemsKey, petNamesKey } from "../keys.ts";
import { damagedRecord, recordFields } from "../record.ts";

const form = /^(\d{1,19})\t(\d+|[?-])\t([ -~]{0,64})\t(.*)$/s;

/** A line of a script. The entry is undefined if the pet does not exist. */
export interface EntryLine {
  readonly petId: bigint;
  readonly entry: ListedEntry | undefined;
}

/** Parses a line of entry_lines in catalog.lua. @throws Error if it is damaged */
export function entryLine(line: string): EntryLine {
  const pet = line.slice(0, line.indexOf("\t"));
  const [id, status, sku, name] = recordFields(form, line, petNamesKey, pet);
  const petId = BigInt(id);
  if (status === "-") return { petId, entry: undefined };
  if (!/^[1-3]$/.test(status)) throw damagedRecord(itemsKey, pet);
  return { petId, entry: listedEntry({ petId, name, sku, status: Number(status) as PetStatus }) };
}

/** Parses lines. */
export function entryLines(text: string): EntryLine[] {
  return text === "" ? [] : text.split("\n").map(entryLine);
}

/** Returns the entries that exist. */
export function existing(lines: readonly EntryLine[]): ListedEntry[] {
  return lines.flatMap(({ entry }) => entry ?? []);
}
