import { PetStatus } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { numberText } from "../text/number-text.ts";
import { SelectCell } from "./changes/select-cells.tsx";
import type { Selection } from "./changes/use-selection.ts";
import { type Item, statusWord } from "./item.ts";

/** How long a changed quantity is marked, in milliseconds. */
const markedMs = 2_000;

const badges: ReadonlyMap<PetStatus, string> = new Map([
  [PetStatus.AVAILABLE, "badge badge-success"],
  [PetStatus.PENDING, "badge badge-warning"],
]);

/** The status of a pet, with a color. */
export function StatusBadge({ status }: { status: PetStatus }) {
  return <span class={badges.get(status) ?? "badge"}>{statusWord(status)}</span>;
}

/** The cells of one row of the list. Without `onEdit`, the user may not change the quantity. */
export function ItemCells(props: {
  item: Item;
  isOpen: boolean;
  selection?: Selection | undefined;
  onEdit?: () => void;
}) {
  const { item, isOpen, selection, onEdit } = props;
  const { petId, quantity, status, changedAt } = item;
  const isFresh = changedAt !== undefined && performance.now() - changedAt < markedMs;
  return (
    <>
      {selection && <SelectCell petId={petId} selection={selection} />}
      <td class="row-pet">
        <a href={`#/stock/${petId}`}>{String(petId)}</a>
      </td>
      <td>
        <StatusBadge status={status} />
      </td>
      <td class="number">
        <span key={changedAt} class={isFresh ? "fresh" : ""}>
          {numberText(quantity)}
        </span>
      </td>
      <td class="row-action">
        {onEdit && (
          <button
            type="button"
            aria-label={`Change the quantity of pet ${petId}`}
            aria-expanded={isOpen}
            onClick={onEdit}
          >
            Change
          </button>
        )}
      </td>
    </>
  );
}
