import { petText } from "../../pets/names.ts";
import type { Selection } from "./use-selection.ts";

/** The cell of a row that selects its pet. */
export function SelectCell(props: { petId: bigint; selection: Selection }) {
  const { petId, selection } = props;
  return (
    <td class="row-select">
      <input
        type="checkbox"
        aria-label={`Select ${petText(petId)}`}
        checked={selection.has(petId)}
        onClick={({ shiftKey }) => selection.toggle(petId, shiftKey ? "range" : "one")}
      />
    </td>
  );
}

/** The cell of the header that selects all rows. @param shown the number of rows that the list shows */
export function SelectAllCell(props: { shown: number; selection: Selection }) {
  const { shown, selection } = props;
  const count = selection.items.length;
  return (
    <td class="row-select">
      <input
        type="checkbox"
        aria-label="Select all pets of the list"
        checked={count > 0 && count === shown}
        indeterminate={count > 0 && count < shown}
        onClick={selection.toggleAll}
      />
    </td>
  );
}
