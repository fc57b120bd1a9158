import { useEffect, useMemo, useState } from "preact/hooks";
import { idOf, type Names, petOfCode, petParts, petSubject } from "../pets/names.ts";
import { readNamesSoon, useNames } from "../pets/use-names.ts";
import { ConnectionBadge } from "../shared/connection-state.tsx";
import { afterDraft } from "../shared/draft.tsx";
import { goTo, setRouteQuery, useRouteQuery } from "../shared/route.ts";
import { hasScope, session } from "../shared/session.ts";
import { focusMain } from "../shared/skip-link.tsx";
import { useStore } from "../shared/store.ts";
import { showToast } from "../shared/toasts.tsx";
import { useDialog } from "../shared/use-dialog.ts";
import { useTitle } from "../shared/use-title.ts";
import { countText, numberText } from "../text/number-text.ts";
import { BookingView } from "./booking/booking-view.tsx";
import { isModeName, modes } from "./booking/modes.ts";
import { SelectAllCell } from "./changes/select-cells.tsx";
import { SelectionBar } from "./changes/selection-bar.tsx";
import { StockActions } from "./changes/stock-actions.tsx";
import { useSelection } from "./changes/use-selection.ts";
import { filterFault, filterItems, filterOf, filterQuery } from "./filter.ts";
import { FilterBar } from "./filter-bar.tsx";
import type { Item } from "./item.ts";
import { type EditPlace, ItemCells } from "./item-cells.tsx";
import { type LiveStock, onChange } from "./live-stock.ts";
import { NoRows } from "./no-rows.tsx";
import { OutageBanner } from "./outage-banner.tsx";
import { PetView } from "./pet-view.tsx";
import { QuantityEditor } from "./quantity-editor.tsx";
import { type Sort, sortItems, sortOf, sortText } from "./sort.ts";
import { hasPet, placeOf } from "./stock-model.ts";
import { useLevels } from "./use-levels.ts";
import { useLiveStock } from "./use-live-stock.ts";
import { mostRows, VirtualRows } from "./virtual-rows.tsx";

/** The list as the user has left it, with its filter and order. */
let listHash = "#/stock";

const byId: Sort = { column: "id", isDescending: false };

/** The live stock: a list of all pets, or one pet with its history. */
export function StockView({ path }: { path: readonly string[] }) {
  const live = useLiveStock();
  const { items, isLoaded, connection } = live;
  const names = useNames();
  useEffect(
    () =>
      onChange(({ quantityBefore }) => {
        // The name of a new pet is not in the change.
        if (quantityBefore === undefined) readNamesSoon();
      }),
    [],
  );
  const [petId] = path;
  const booking = isModeName(petId) ? petId : undefined;
  const id = idOf(petId ?? "");
  const { title, detail } =
    id === undefined
      ? { title: booking ? modes[booking].title : petId ? `Pet ${petId}` : "Stock", detail: "" }
      : petHeading(id, names);
  // biome-ignore lint/plugin: at most one part
  useTitle(...(petId === undefined ? [] : [title]), "Stock");
  return (
    <>
      <div class="view-title">
        <div>
          <h1 dir="auto">{title}</h1>
          {detail && <p class="muted">{detail}</p>}
        </div>
        <ConnectionBadge state={connection} />
      </div>
      <OutageBanner {...live} />
      {petId === undefined ? (
        <StockList {...live} names={names} />
      ) : booking ? (
        <>
          <p>
            <a href={listHash}>All pets</a>
          </p>
          <BookingView key={booking} name={booking} items={items} names={names} />
        </>
      ) : (
        <PetView key={petId} petId={petId} items={items} isLoaded={isLoaded} listHash={listHash} />
      )}
    </>
  );
}

/** Returns the title of the page of a pet, and the line below it. */
function petHeading(petId: bigint, names: Names) {
  const { title, detail } = petParts(petId, names);
  return { title: detail === "" ? `Pet ${title}` : title, detail };
}

function StockList({ items, isLoaded, arrived, names }: LiveStock & { names: Names }) {
  const query = useRouteQuery();
  listHash = `#/stock?${query}`;
  const filter = filterOf(query);
  // A search has an order of its own, unless the user has chosen one.
  const sort = sortOf(query) ?? (filter.search.trim() === "" ? byId : undefined);
  const current = useStore(session);
  const mayWrite = hasScope(current, "inventory:write");
  const [edited, setEdited] = useState<{ item: Item; place: EditPlace }>();
  const opened = edited?.item;
  const open = opened?.petId;
  const shown = useMemo(() => {
    const filtered = filterItems(items, filter, names, open);
    return sort ? sortItems(filtered, sort, opened) : filtered;
  }, [items, query, opened, names]);
  const [visible, setVisible] = useState<readonly bigint[]>([]);
  const levels = useLevels(useMemo(() => itemsOf(items, visible), [items, visible]));
  const selected = useSelection(shown);
  const selection = mayWrite || hasScope(current, "catalog:write") ? selected : undefined;
  const isSelecting = selection !== undefined && selection.items.length > 0;
  const dialog = useDialog();
  const close = () => setEdited(undefined);
  const edit = (item: Item, place: EditPlace | undefined) =>
    place ? afterDraft(() => setEdited({ item, place })) : close();
  const isRemoved = isLoaded && open !== undefined && !items.some(({ petId }) => petId === open);
  useEffect(() => {
    if (!isRemoved) return;
    close();
    showToast(
      `${petSubject(open ?? 0n)} was removed in the meantime. Its quantity cannot be changed.`,
    );
    focusMain();
  }, [isRemoved]);
  return (
    <>
      <div class="stack">
        <StockActions shown={shown} dialog={dialog} isHidden={isSelecting} />
        {selection && <SelectionBar selection={selection} dialog={dialog} />}
      </div>
      <FilterBar
        filter={filter}
        onType={(changed) => setRouteQuery(filterQuery(changed), "replaceState")}
        onChoose={(changed) => setRouteQuery(filterQuery(changed))}
        onEnter={() => {
          const search = filter.search.trim();
          const code = petOfCode(names, search);
          const isCode = code !== undefined && hasPet(items, code);
          const petId = isCode ? code : filterItems(items, filter, names)[0]?.petId;
          if (search !== "" && petId !== undefined) goTo(`/stock/${petId}`);
        }}
      />
      <p class="muted" role="status">
        {filterFault(filter) ??
          (isLoaded ? shownText(shown.length, items.length) : loadingText(arrived))}
        {filter.search !== "" && !names.isLoaded && " The names are still loading."}
      </p>
      {!isLoaded && <div class="rows skeleton" />}
      {isLoaded && shown.length === 0 && (
        <NoRows
          isEmpty={items.length === 0}
          mayAdd={hasScope(current, "catalog:write")}
          dialog={dialog}
        />
      )}
      {shown.length > 0 && (
        <VirtualRows
          items={shown}
          open={open}
          hasEditor={edited?.place === "below"}
          sort={sort}
          onSort={(chosen) => setRouteQuery({ sort: sortText(chosen) })}
          listKey={String(query)}
          onVisible={setVisible}
          firstCell={selection && <SelectAllCell shown={shown.length} selection={selection} />}
          row={(item) => (
            <ItemCells
              item={item}
              held={levels.held.get(item.petId)}
              editedIn={item.petId === open ? edited?.place : undefined}
              selection={selection}
              {...(mayWrite && { onEdit: (place) => edit(item, place) })}
            />
          )}
          editor={(item) => <QuantityEditor key={item.petId} item={item} onClose={close} />}
        />
      )}
      {dialog.shown}
    </>
  );
}

function itemsOf(items: readonly Item[], petIds: readonly bigint[]): readonly Item[] {
  return petIds.flatMap((id) => {
    const item = items[placeOf(items, id)];
    return item?.petId === id ? [item] : [];
  });
}

function loadingText(arrived: number): string {
  return arrived === 0 ? "Loading the stock…" : `Loading the stock: ${countText(arrived, "pet")}…`;
}

function shownText(shown: number, all: number): string {
  if (shown > mostRows) {
    return `The list shows the first ${numberText(mostRows)} of ${numberText(shown)} pets. Search to see others.`;
  }
  if (shown === all) return countText(all, "pet");
  return `${numberText(shown)} of ${countText(all, "pet")}`;
}
