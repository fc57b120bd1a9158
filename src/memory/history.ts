import type { ChangesSince, HistoryPage, HistoryQuery } from "../inventory/inventory-store.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import type { Stock } from "./stock.ts";

/** See {@link InventoryStore.changes}. */
export function changesBefore(
  stock: Stock,
  { petId, from, limit }: HistoryQuery,
): HistoryPage | undefined {
  const item = petId === undefined ? undefined : stock.items.get(petId);
  if (petId !== undefined && !item) return undefined;
  const changes: StockChange[] = [];
  let version: bigint | undefined = from ?? item?.version ?? stock.version;
  if (petId === undefined && version > stock.version) version = stock.version;
  // One more than asked for: it tells where the next page begins.
  while (version !== undefined && changes.length <= limit) {
    const change = stock.changes.get(version);
    if (!change || (petId !== undefined && change.petId !== petId)) break;
    changes.push(change);
    version = petId === undefined ? version - 1n : change.previousVersion;
  }
  return { changes: changes.slice(0, limit), next: changes[limit]?.version };
}

/** See {@link InventoryStore.changesSince}. */
export function changesSince(
  stock: Stock,
  version: bigint,
  limit: number,
): ChangesSince | undefined {
  if (version > stock.version) return undefined;
  if (version < stock.version && !stock.changes.has(version + 1n)) return undefined;
  const changes: StockChange[] = [];
  for (let at = version + 1n; changes.length < limit; at += 1n) {
    const change = stock.changes.get(at);
    if (!change) break;
    changes.push(change);
  }
  return { changes, version: stock.version };
}
