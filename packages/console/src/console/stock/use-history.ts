import { useEffect, useRef, useState } from "preact/hooks";
import type { InventoryChange } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { inventory } from "../shared/api.ts";
import type { CallFault } from "../shared/call-fault.ts";
import { useStore } from "../shared/store.ts";
import { useAction } from "../shared/use-action.ts";
import { liveStock, onChange } from "./live-stock.ts";

export interface History {
  /** The changes, newest first. */
  readonly changes: readonly InventoryChange[];
  /** Reads older changes, or tries again after an error. Undefined when there are no more. */
  readonly more: (() => void) | undefined;
  readonly isLoading: boolean;
  readonly fault: CallFault | undefined;
}

const pageSize = 200;
/** How long the page collects changes before it renders them, in milliseconds. */
const renderEveryMs = 250;
/** Most changes that the watch may add to a page, so that the page of a busy pet stays usable. */
const mostAdded = 500;

/** Reads the history of a pet, newest changes first, and adds the changes that the watch reports. */
export function useHistory(petId: bigint): History {
  const [changes, setChanges] = useState<readonly InventoryChange[]>([]);
  const [nextPage, setNextPage] = useState<string>();
  const addedCount = useRef(0);
  const [isCut, setCut] = useState(false);
  const page = useAction(async (pageToken: string) => {
    const read = await inventory.listItemChanges({ petId, pageSize, pageToken });
    setChanges((before) => joined(before, read.changes));
    // When the newest changes are read again, older pages that were read stay.
    setNextPage((before) =>
      pageToken === "" && before !== undefined ? before : read.nextPageToken,
    );
  });
  useEffect(() => {
    const stop = collectChanges(petId, (added) => {
      addedCount.current += added.length;
      if (addedCount.current <= mostAdded) {
        setChanges((before) => joined(before, added));
        return;
      }
      // Only the newest changes stay. The user can load the older ones again.
      addedCount.current = 0;
      setChanges((before) => joined(before, added).slice(0, pageSize));
      setNextPage(undefined);
      setCut(true);
    });
    void page.run("");
    return stop;
  }, [petId]);
  useReconnect(() => void page.run(""));
  const canTry = nextPage === undefined ? isCut || page.fault !== undefined : nextPage !== "";
  return {
    changes,
    more: canTry ? () => void page.run(nextPage ?? "") : undefined,
    isLoading: page.isPending || (nextPage === undefined && page.fault === undefined && !isCut),
    fault: page.fault,
  };
}

/** Calls a function with the changes of a pet that have arrived since the last call. @returns a function that ends this */
function collectChanges(
  petId: bigint,
  onChanges: (changes: readonly InventoryChange[]) => void,
): () => void {
  let collected: InventoryChange[] = [];
  const stop = onChange((change) => {
    if (change.petId === petId) collected.push(change);
  });
  const timer = setInterval(() => {
    if (collected.length > 0) onChanges(collected);
    collected = [];
  }, renderEveryMs);
  return () => {
    stop();
    clearInterval(timer);
  };
}

/** Calls a function when the watch is live again. It may have begun anew, without the changes in the meantime. */
function useReconnect(onReconnect: () => void): void {
  const { connection } = useStore(liveStock);
  const wasLost = useRef(false);
  useEffect(() => {
    if (connection === "live" && wasLost.current) onReconnect();
    wasLost.current = ["stale", "refused", "reconnecting"].includes(connection);
  }, [connection]);
}

/** Joins changes, newest first. A change can arrive twice: from the watch and in a page. */
function joined(
  some: readonly InventoryChange[],
  others: readonly InventoryChange[],
): readonly InventoryChange[] {
  const byVersion = new Map([...some, ...others].map((change) => [change.version, change]));
  // The watch and the pages have the changes of one pet in the order of time.
  return [...byVersion.values()].sort(
    (a, b) => timeOf(b) - timeOf(a) || (a.version < b.version ? 1 : -1),
  );
}

/** Returns the time of a change, in milliseconds since the epoch. */
export function timeOf({ changedAt }: InventoryChange): number {
  return Number(changedAt?.seconds ?? 0n) * 1_000 + (changedAt?.nanos ?? 0) / 1e6;
}
