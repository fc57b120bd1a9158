import { useNames } from "../../pets/use-names.ts";
import { hasScope, session } from "../../shared/session.ts";
import { useStore } from "../../shared/store.ts";
import { useDialog } from "../../shared/use-dialog.ts";
import { PlaceOrderDialog } from "../../store/place-order-dialog.tsx";
import type { Item } from "../item.ts";
import { EditPetDialog } from "./edit-pet-dialog.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";
import { StatusDialog } from "./status-dialog.tsx";
import { StockScopeHint } from "./stock-scope-hint.tsx";

/** What can be done with one pet, in addition to a change of its quantity. */
export function PetActions({ item }: { item: Item }) {
  const dialog = useDialog();
  const onClose = dialog.close;
  const current = useStore(session);
  const { petId } = item;
  const { isLoaded } = useNames();
  return (
    <>
      {hasScope(current, "store:write") && (
        <button
          type="button"
          onClick={() => dialog.open(<PlaceOrderDialog petId={petId} onClose={onClose} />)}
        >
          Order
        </button>
      )}
      {hasScope(current, "catalog:write") && (
        <>
          <button
            type="button"
            disabled={!isLoaded}
            onClick={() => dialog.open(<EditPetDialog petId={petId} onClose={onClose} />)}
          >
            Edit name and SKU
          </button>
          <button
            type="button"
            onClick={() => dialog.open(<StatusDialog pets={[item]} onClose={onClose} />)}
          >
            Set the status
          </button>
          <button
            type="button"
            onClick={() => dialog.open(<RemoveDialog pets={[item]} onClose={onClose} />)}
          >
            Remove
          </button>
        </>
      )}
      <StockScopeHint />
      {dialog.shown}
    </>
  );
}
