import { useState } from "preact/hooks";
import { ChangeList, changeRows } from "../activity/change-list.tsx";
import { idOf } from "../pets/names.ts";
import { ErrorBanner } from "../shared/error-banner.tsx";
import { hasScope, session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { numberText } from "../text/number-text.ts";
import { PetActions } from "./changes/pet-actions.tsx";
import { HistoryPlot } from "./history-plot.tsx";
import type { Item } from "./item.ts";
import { StockBadges } from "./item-cells.tsx";
import { PetHolds } from "./pet-holds.tsx";
import { QuantityEditor } from "./quantity-editor.tsx";
import { useHistory } from "./use-history.ts";

/** One pet: its stock now, and its history as a plot and as a list. */
export function PetView(props: {
  petId: string;
  items: readonly Item[];
  isLoaded: boolean;
  listHash: string;
}) {
  const { petId, items, isLoaded, listHash } = props;
  const id = idOf(petId);
  const item = items.find((each) => each.petId === id);
  return (
    <>
      <p>
        <a href={listHash}>All pets</a>
      </p>
      {item && <PetNow item={item} />}
      {isLoaded && !item && <p class="empty">There is no pet {petId} in the stock.</p>}
      {item && <PetHolds item={item} />}
      {item && <History petId={item.petId} />}
    </>
  );
}

function PetNow({ item }: { item: Item }) {
  const [isOpen, setOpen] = useState(false);
  const mayWrite = hasScope(useStore(session), "inventory:write");
  return (
    <section class="card pet-now" aria-label="Stock now">
      <p>
        <span class="pet-quantity">{numberText(item.quantity)}</span> in stock{" "}
        <StockBadges item={item} />
      </p>
      <div class="view-actions">
        {mayWrite && (
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(true)}>
            Change the quantity
          </button>
        )}
        <PetActions item={item} />
      </div>
      {isOpen && <QuantityEditor item={item} onClose={() => setOpen(false)} />}
    </section>
  );
}

function History({ petId }: { petId: bigint }) {
  const { changes, more, fault, isLoading } = useHistory(petId);
  return (
    <section class="history" aria-label="History">
      <h2>History</h2>
      <ErrorBanner fault={fault} {...(more && { retry: { atMs: undefined, start: more } })} />
      {changes.length > 0 && <HistoryPlot changes={changes} />}
      <ChangeList
        rows={changeRows(changes)}
        empty={isLoading ? "Loading the history…" : "The history has no changes of this pet."}
      />
      {more && !fault && (
        <p>
          <button type="button" disabled={isLoading} onClick={more}>
            Load older changes
          </button>
        </p>
      )}
    </section>
  );
}
