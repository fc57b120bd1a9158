import { csvCell, csvText } from "../../../../../../src/cli/output/csv-text.ts";
import { type Names, namesOfPet } from "../../pets/names.ts";
import { type Item, statusWord } from "../item.ts";
import { columns } from "./import/item-reader.ts";

/** The formats of a file of items, as the command line has them. */
export type FileFormat = "csv" | "ndjson";

/** Items per part. */
const partSize = 1_000;

/** Returns items as the parts of a file that an import reads. */
export function itemTexts(items: readonly Item[], names: Names, format: FileFormat): string[] {
  const parts = format === "csv" ? [csvText(columns, [])] : [];
  const textOf = format === "csv" ? csvLine : jsonLine;
  for (let from = 0; from < items.length; from += partSize) {
    parts.push(
      items
        .slice(from, from + partSize)
        .map((item) => textOf({ ...namesOfPet(item.petId, names), ...item }))
        .join(""),
    );
  }
  return parts;
}

type NamedItem = Item & ReturnType<typeof namesOfPet>;

function csvLine({ petId, name, sku, quantity, status }: NamedItem): string {
  const cells = [String(petId), csvCell(name), csvCell(sku), String(quantity), statusWord(status)];
  return csvText(cells, []);
}

function jsonLine({ petId, name, sku, quantity, status }: NamedItem): string {
  const texts = JSON.stringify({ ...(name && { name }), ...(sku && { sku }) }).slice(1, -1);
  return `{"petId":${petId},${texts && `${texts},`}"quantity":${quantity},"status":"${statusWord(status)}"}\n`;
}
