import { hasScope, session } from "../../shared/session.ts";
import { useStore } from "../../shared/store.ts";
import type { DialogSlot } from "../../shared/use-dialog.ts";
import { modeNames, modes } from "../booking/modes.ts";
import type { Item } from "../item.ts";
import { AddPetDialog } from "./add-pet-dialog.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { ImportDialog } from "./import/import-dialog.tsx";
import { StockScopeHint } from "./stock-scope-hint.tsx";

/** What can be done with the stock as a whole. @param shown the pets of the list as shown */
export function StockActions(props: {
  shown: readonly Item[];
  dialog: DialogSlot;
  isHidden: boolean;
}) {
  const { shown, dialog, isHidden } = props;
  const current = useStore(session);
  const isAdmin = hasScope(current, "catalog:write");
  const onClose = dialog.close;
  return (
    <div class={isHidden ? "view-actions hidden" : "view-actions"}>
      {isAdmin && (
        <>
          <button type="button" onClick={() => dialog.open(<AddPetDialog onClose={onClose} />)}>
            Add a pet
          </button>
          <button type="button" onClick={() => dialog.open(<ImportDialog onClose={onClose} />)}>
            Import a file
          </button>
        </>
      )}
      {hasScope(current, "inventory:write") &&
        modeNames.map((name) => (
          <a key={name} class="button" href={`#/stock/${name}`}>
            {modes[name].link}
          </a>
        ))}
      <button
        type="button"
        onClick={() => dialog.open(<ExportDialog items={shown} onClose={onClose} />)}
      >
        Export
      </button>
      <StockScopeHint />
    </div>
  );
}
