import type { ChangesSince, HistoryPage, HistoryQuery } from "../inventory-store.ts";
import {
  type ChangeReader,
  changeWaitMs,
  mostChangesAtOnce,
  type OnRevoked,
  type StockChange,
} from "../stock-change.ts";
import type { Stock } from "./stock.ts";

/** See {@link InventoryStore.changes}. */
export function changesBefore(
  stock: Stock,
  { petId, from, limit }: HistoryQuery,
): HistoryPage | undefined {
  const newest = petId === undefined ? stock : stock.items.get(petId);
  if (!newest) return undefined;
  const start = from ?? newest.version;
  const found = petId === undefined ? stock.changes.upTo(start) : ofPet(stock, petId, start);
  // One more than the limit shows where the next page begins.
  const changes = Iterator.from(found)
    .take(limit + 1)
    .toArray();
  return { changes: changes.slice(0, limit), next: changes[limit]?.version };
}

/** The changes of one pet from a version on, newest first. */
function* ofPet({ changes }: Stock, petId: bigint, from: bigint): Iterable<StockChange> {
  for (let version: bigint | undefined = from; version !== undefined; ) {
    const change = changes.find(version);
    if (change?.petId !== petId) return;
    yield change;
    version = change.previousVersion;
  }
}

/** See {@link InventoryStore.changesSince}. */
export function changesSince(
  stock: Stock,
  version: bigint,
  limit: number,
): ChangesSince | undefined {
  if (version === stock.version) return { changes: [], total: 0 };
  const found = stock.changes.after(version);
  if (!found) return undefined;
  return { changes: Iterator.from(found.changes).take(limit).toArray(), total: found.total };
}

/** Called with the id of each revoked key, or of each account whose keys were. */
export type MemoryRevocations = Set<OnRevoked>;

/** Makes a reader of changes. It begins to listen to revocations at once. */
export function createMemoryChangeReader(
  stock: Stock,
  revocations: MemoryRevocations,
  onRevoked: OnRevoked = () => {},
): ChangeReader {
  let wake: (() => void) | undefined;
  /** Whether the next call of `next` returns at once. */
  let isDue = true;

  const revoked: OnRevoked = (id) => {
    onRevoked(id);
    isDue = true;
    wake?.();
  };
  revocations.add(revoked);

  /** Waits for a change, a revocation, the timeout, or the call of `close`. */
  function changeOrTimeout(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, changeWaitMs);
      function done(): void {
        clearTimeout(timer);
        stock.listeners.delete(done);
        wake = undefined;
        resolve();
      }
      stock.listeners.add(done);
      wake = done;
    });
  }

  return {
    async next(version) {
      const since = changesSince(stock, version, mostChangesAtOnce);
      if (!isDue && since?.changes.length === 0) {
        await changeOrTimeout();
        isDue = false;
        return changesSince(stock, version, mostChangesAtOnce)?.changes;
      }
      isDue = false;
      return since?.changes;
    },
    close() {
      revocations.delete(revoked);
      wake?.();
    },
  };
}
