import { quote } from "connect-gateway/call";
import { valueOfCell } from "../../../../../../src/cli/output/csv-text.ts";
import { separatorFault } from "../../../../../../src/common/csv-header.ts";
import { fieldsOf } from "../changes/import/item-reader.ts";

/** A row of a list: the SKU or id of a pet, or both, and units. */
export interface ListRow {
  readonly line: number;
  readonly sku: string;
  readonly petId: string;
  readonly units: string;
}

const skuColumns = ["sku", "barcode", "code", "ean", "gtin"];
const petColumns = ["petid", "id", "pet"];
const unitColumns = ["delta", "counted", "units", "quantity", "qty", "count", "amount"];
const largestBytes = 1_048_576;

/**
 * Reads a list of pets and units as CSV, such as `sku,delta` or `petId,counted`.
 *
 * @returns its rows, or what is wrong with it
 */
export async function readList(file: Blob): Promise<readonly ListRow[] | string> {
  if (file.size > largestBytes) return "The file is larger than 1 MiB. Split it.";
  const [header = "", ...lines] = (await file.text()).replace(/^\ufeff/, "").split(/\r?\n/);
  const names = (fieldsOf(header) ?? []).map((name) => name.toLowerCase().replace(/[^a-z]/g, ""));
  const columnOf = (known: readonly string[]) =>
    known.map((name) => names.indexOf(name)).find((place) => place >= 0);
  const [sku, petId, units] = [skuColumns, petColumns, unitColumns].map(columnOf);
  if ((sku ?? petId) === undefined || units === undefined) {
    const separator = separatorFault(header);
    return `Line 1: ${separator ?? `there is no column of pets or units in ${quote(header)}`}. The line must have sku or petId, and units.`;
  }
  return lines.flatMap((text, index) => {
    if (/^[\s,"]*$/.test(text)) return [];
    const fields = fieldsOf(text) ?? [];
    const textOf = (place = -1) => (fields[place] ?? "").trim();
    return [
      {
        line: index + 2,
        sku: valueOfCell(textOf(sku)),
        petId: textOf(petId),
        units: textOf(units),
      },
    ];
  });
}
