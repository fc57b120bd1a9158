import { useState } from "preact/hooks";
import { SelectField } from "../../../shared/field.tsx";
import { type ColumnName, columns } from "./item-reader.ts";

/** Names that other programs give to the columns, without case, spaces and signs. */
const aliases: Readonly<Record<ColumnName, readonly string[]>> = {
  petId: ["petid", "id", "pet", "petno", "number", "article", "articleid"],
  name: ["name", "title", "petname", "description", "articlename"],
  sku: ["sku", "barcode", "ean", "gtin", "code", "articlecode"],
  quantity: ["quantity", "qty", "stock", "units", "count", "available", "onhand", "amount"],
  status: ["status", "state"],
};

/** What holds without a column that is not needed. */
const withoutColumn: Partial<Record<ColumnName, string>> = {
  name: "Names stay as they are",
  sku: "SKUs stay as they are",
  status: "All are available",
};

/** Asks which columns of a file have the values of pets. A file without statuses has pets that are available. */
export function ColumnChoice(props: {
  names: readonly string[];
  /** @param chosen what each column of the file has; undefined if it is left out */
  onChoose(chosen: readonly (ColumnName | undefined)[]): void;
}) {
  const { names, onChoose } = props;
  const [chosen, setChosen] = useState(
    () => new Map(columns.map((column) => [column, guess(column, names)])),
  );
  const isComplete = columns.every(
    (column) => column in withoutColumn || chosen.get(column) !== -1,
  );
  const places = [...chosen.values()].filter((place) => place >= 0);
  const isTwice = new Set(places).size < places.length;
  return (
    <section class="form" aria-label="Columns of the file">
      <p>The columns of the file have other names. Which of them has what?</p>
      {columns.map((column) => (
        <SelectField
          key={column}
          label={column}
          name={column}
          value={String(chosen.get(column))}
          options={[
            ["-1", withoutColumn[column] ?? "Choose a column"],
            ...names.map((name, place) => [String(place), name || `Column ${place + 1}`] as const),
          ]}
          onChange={(place) => setChosen(new Map([...chosen, [column, Number(place)]]))}
        />
      ))}
      {isTwice && <p class="field-error">Each column of the file can be used once.</p>}
      <div class="form-buttons">
        <button
          type="button"
          class="button-main"
          disabled={!isComplete || isTwice}
          onClick={() =>
            onChoose(names.map((_, place) => columns.find((each) => chosen.get(each) === place)))
          }
        >
          Use these columns
        </button>
      </div>
    </section>
  );
}

function guess(column: ColumnName, names: readonly string[]): number {
  const plain = names.map((name) => name.toLowerCase().replace(/[^a-z]/g, ""));
  return aliases[column].map((alias) => plain.indexOf(alias)).find((place) => place >= 0) ?? -1;
}
