import { type Item, statusWord } from "../item.ts";

/** The formats of a file of items, as the command line has them. */
export type FileFormat = "csv" | "ndjson";

/** Items per part. */
const partSize = 1_000;

/** Returns items as the parts of a file that an import reads. */
export function itemTexts(items: readonly Item[], format: FileFormat): string[] {
  const parts = format === "csv" ? ["petId,quantity,status\n"] : [];
  const line = format === "csv" ? csvLine : jsonLine;
  for (let from = 0; from < items.length; from += partSize) {
    parts.push(
      items
        .slice(from, from + partSize)
        .map(line)
        .join(""),
    );
  }
  return parts;
}

/** No value needs quotes. */
function csvLine({ petId, quantity, status }: Item): string {
  return `${petId},${quantity},${statusWord(status)}\n`;
}

function jsonLine({ petId, quantity, status }: Item): string {
  return `{"petId":${petId},"quantity":${quantity},"status":"${statusWord(status)}"}\n`;
}
