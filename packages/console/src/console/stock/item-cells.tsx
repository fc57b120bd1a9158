import { PetStatus } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { petText } from "../pets/names.ts";
import { PetLink } from "../pets/pet-link.tsx";
import { numberText } from "../text/number-text.ts";
import { SelectCell } from "./changes/select-cells.tsx";
import type { Selection } from "./changes/use-selection.ts";
import { type Item, lowQuantity, statusWord } from "./item.ts";
import { QuantityCell } from "./quantity-cell.tsx";

/** How long a changed quantity is marked, in milliseconds. */
const markedMs = 2_000;

const badges: ReadonlyMap<PetStatus, string> = new Map([
  [PetStatus.AVAILABLE, "badge badge-success"],
  [PetStatus.PENDING, "badge badge-warning"],
]);

/** The status of a pet, and whether few or no units are left. A pet that is out of stock has no color of its status. */
export function StockBadges({ item: { status, quantity } }: { item: Item }) {
  const color = quantity === 0 ? undefined : badges.get(status);
  return (
    <span class="badges">
      <span class={color ?? "badge"}>{statusWord(status)}</span>
      {quantity <= lowQuantity && (
        <span class={`badge badge-${quantity === 0 ? "danger" : "low"}`}>
          {quantity === 0 ? "out of stock" : "low"}
        </span>
      )}
    </span>
  );
}

/** Where a quantity is edited: in its cell, or below the row with a reason and a note. */
export type EditPlace = "cell" | "below";

/** The cells of one row of the list. Without `onEdit`, the user may not change the quantity. */
export function ItemCells(props: {
  item: Item;
  /** The units on hold; undefined until they are known. */
  held: number | undefined;
  editedIn: EditPlace | undefined;
  selection?: Selection | undefined;
  onEdit?: (place: EditPlace | undefined) => void;
}) {
  const { item, held, editedIn, selection, onEdit } = props;
  const { petId, quantity, changedAt } = item;
  const isFresh = changedAt !== undefined && performance.now() - changedAt < markedMs;
  return (
    <>
      {selection && <SelectCell petId={petId} selection={selection} />}
      <td class="row-pet">
        <PetLink petId={petId} />
      </td>
      <td>
        <StockBadges item={item} />
      </td>
      <td class="number">
        <QuantityCell
          item={item}
          isOpen={editedIn === "cell"}
          onOpen={onEdit && ((isOpen) => onEdit(isOpen ? "cell" : undefined))}
        >
          <span key={changedAt} class={isFresh ? "fresh" : ""}>
            {numberText(quantity)}
          </span>
        </QuantityCell>
      </td>
      <td class="number row-level">{held !== undefined && numberText(held)}</td>
      <td class="number row-level">{held !== undefined && numberText(quantity + held)}</td>
      <td class="row-action">
        {onEdit && (
          <button
            type="button"
            aria-label={`Change the quantity of ${petText(petId)}`}
            aria-expanded={editedIn === "below"}
            onClick={() => onEdit("below")}
          >
            Change
          </button>
        )}
      </td>
    </>
  );
}
