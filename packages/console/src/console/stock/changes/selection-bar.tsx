import { hasScope, session } from "../../shared/session.ts";
import { useStore } from "../../shared/store.ts";
import type { DialogSlot } from "../../shared/use-dialog.ts";
import { countText, numberText } from "../../text/number-text.ts";
import { mostPets, QuantitiesDialog } from "./quantities-dialog.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";
import { StatusDialog } from "./status-dialog.tsx";
import type { Selection } from "./use-selection.ts";

/** What can be done with the selected pets. Not shown when none is selected. */
export function SelectionBar({ selection, dialog }: { selection: Selection; dialog: DialogSlot }) {
  const current = useStore(session);
  const pets = selection.items;
  if (pets.length === 0) return null;
  const onClose = dialog.close;
  const isFew = pets.length <= mostPets;
  return (
    <section class="selection-bar" aria-label="Selected pets">
      <strong role="status">{countText(pets.length, "pet")} selected</strong>
      {!isFew && (
        <span>
          Select at most {numberText(mostPets)}: a batch changes all of its pets, or none.
        </span>
      )}
      {isFew && hasScope(current, "inventory:write") && (
        <button
          type="button"
          onClick={() => dialog.open(<QuantitiesDialog pets={pets} onClose={onClose} />)}
        >
          Change quantities
        </button>
      )}
      {isFew && hasScope(current, "admin") && (
        <>
          <button
            type="button"
            onClick={() => dialog.open(<StatusDialog pets={pets} onClose={onClose} />)}
          >
            Set the status
          </button>
          <button
            type="button"
            onClick={() => dialog.open(<RemoveDialog pets={pets} onClose={onClose} />)}
          >
            Remove
          </button>
        </>
      )}
      <button type="button" class="button-quiet" onClick={selection.clear}>
        Clear
      </button>
    </section>
  );
}
