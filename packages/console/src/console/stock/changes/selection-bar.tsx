import { hasScope, session } from "../../shared/session.ts";
import { useStore } from "../../shared/store.ts";
import type { DialogSlot } from "../../shared/use-dialog.ts";
import { countText } from "../../text/number-text.ts";
import { QuantitiesDialog } from "./quantities-dialog.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";
import { StatusDialog } from "./status-dialog.tsx";
import type { Selection } from "./use-selection.ts";

/** What can be done with the selected pets. It takes its place also when it is not seen, so that the list does not move. */
export function SelectionBar({ selection, dialog }: { selection: Selection; dialog: DialogSlot }) {
  const current = useStore(session);
  const pets = selection.items;
  const onClose = dialog.close;
  return (
    <section
      class={pets.length === 0 ? "selection-bar hidden" : "selection-bar"}
      aria-label="Selected pets"
    >
      <strong role="status">{countText(pets.length, "pet")} selected</strong>
      {hasScope(current, "inventory:write") && (
        <button
          type="button"
          onClick={() => dialog.open(<QuantitiesDialog pets={pets} onClose={onClose} />)}
        >
          Change quantities
        </button>
      )}
      {hasScope(current, "catalog:write") && (
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
