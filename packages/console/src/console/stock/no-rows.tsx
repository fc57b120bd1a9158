import { setRouteQuery } from "../shared/route.ts";
import type { DialogSlot } from "../shared/use-dialog.ts";
import { AddPetDialog } from "./changes/add-pet-dialog.tsx";
import { ImportDialog, saveTemplate } from "./changes/import/import-dialog.tsx";

/** What to do next when the list has no rows. @param isEmpty whether the stock has no pets at all */
export function NoRows(props: { isEmpty: boolean; mayAdd: boolean; dialog: DialogSlot }) {
  const { isEmpty, mayAdd, dialog } = props;
  const onClose = dialog.close;
  if (!isEmpty) {
    return (
      <section class="card no-rows" aria-label="No pets">
        <p>No pet matches the search and the filters.</p>
        <button
          type="button"
          onClick={() => setRouteQuery({ q: "", status: "", min: "", max: "" })}
        >
          Show all pets
        </button>
      </section>
    );
  }
  return (
    <section class="card no-rows" aria-label="No pets">
      <h2>The stock is empty</h2>
      {mayAdd ? (
        <>
          <p>Add the first pet, or fill in the template and import it.</p>
          <div class="form-buttons">
            <button
              type="button"
              class="button-main"
              onClick={() => dialog.open(<AddPetDialog onClose={onClose} />)}
            >
              Add the first pet
            </button>
            <button type="button" onClick={() => dialog.open(<ImportDialog onClose={onClose} />)}>
              Import pets
            </button>
            <button type="button" onClick={saveTemplate}>
              Download a template
            </button>
          </div>
        </>
      ) : (
        <p>
          A key with the scope <code>catalog:write</code> can add pets.
        </p>
      )}
    </section>
  );
}
