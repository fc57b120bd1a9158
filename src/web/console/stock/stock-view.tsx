import { useState } from "preact/hooks";
import { ConnectionBadge } from "../shared/connection-state.tsx";
import { hasScope, session } from "../shared/session.ts";
import { createStore, useStore } from "../shared/store.ts";
import { useDialog } from "../shared/use-dialog.ts";
import { useTitle } from "../shared/use-title.ts";
import { countText, numberText } from "../text/number-text.ts";
import { SelectAllCell } from "./changes/select-cells.tsx";
import { SelectionBar } from "./changes/selection-bar.tsx";
import { StockActions } from "./changes/stock-actions.tsx";
import { useSelection } from "./changes/use-selection.ts";
import { type Filter, filterFault, filterItems, noFilter } from "./filter.ts";
import { FilterBar } from "./filter-bar.tsx";
import type { Item } from "./item.ts";
import { ItemCells } from "./item-cells.tsx";
import { OutageBanner } from "./outage-banner.tsx";
import { PetView } from "./pet-view.tsx";
import { QuantityEditor } from "./quantity-editor.tsx";
import { useLiveStock } from "./use-live-stock.ts";
import { mostRows, VirtualRows } from "./virtual-rows.tsx";

/** The filter stays when the user comes back to the list. */
const chosenFilter = createStore<Filter>(noFilter);

/** The live stock: a list of all pets, or one pet with its history. */
export function StockView({ path }: { path: readonly string[] }) {
  const live = useLiveStock();
  const { items, isLoaded, connection } = live;
  const [petId] = path;
  useTitle(...(petId === undefined ? [] : [`Pet ${petId}`]), "Stock");
  return (
    <>
      <div class="view-title">
        <h1>{petId === undefined ? "Stock" : `Pet ${petId}`}</h1>
        <ConnectionBadge state={connection} />
      </div>
      <OutageBanner {...live} />
      {petId === undefined ? (
        <StockList items={items} isLoaded={isLoaded} />
      ) : (
        <PetView key={petId} petId={petId} items={items} isLoaded={isLoaded} />
      )}
    </>
  );
}

function StockList({ items, isLoaded }: { items: readonly Item[]; isLoaded: boolean }) {
  const filter = useStore(chosenFilter);
  const current = useStore(session);
  const mayWrite = hasScope(current, "inventory:write");
  const [open, setOpen] = useState<bigint>();
  const shown = filterItems(items, filter, open);
  const selected = useSelection(shown);
  const selection = mayWrite || hasScope(current, "admin") ? selected : undefined;
  const dialog = useDialog();
  const close = () => setOpen(undefined);
  return (
    <>
      <StockActions shown={shown} dialog={dialog} />
      <FilterBar filter={filter} onChange={chosenFilter.set} />
      <p class="muted" role="status">
        {filterFault(filter) ?? shownText(shown.length, items.length, isLoaded)}
      </p>
      {selection && <SelectionBar selection={selection} dialog={dialog} />}
      <VirtualRows
        items={shown}
        open={open}
        firstCell={selection && <SelectAllCell shown={shown.length} selection={selection} />}
        row={(item) => (
          <ItemCells
            item={item}
            isOpen={item.petId === open}
            selection={selection}
            {...(mayWrite && { onEdit: () => setOpen(item.petId) })}
          />
        )}
        editor={(item) => <QuantityEditor key={item.petId} item={item} onClose={close} />}
      />
      {dialog.shown}
    </>
  );
}

function shownText(shown: number, all: number, isLoaded: boolean): string {
  if (!isLoaded) return "Loading the stock…";
  if (all === 0) return "The stock is empty. A key with the scope admin can add pets.";
  if (shown > mostRows) {
    return `The list shows the first ${numberText(mostRows)} of ${numberText(shown)} pets. Search to see others.`;
  }
  if (shown === all) return countText(all, "pet");
  return `${numberText(shown)} of ${countText(all, "pet")}`;
}
