import type { WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import {
  type ChangesSince,
  changesBetween,
  type InventoryStore,
} from "../../stores/inventory-store.ts";
import type { StockChange } from "../../stores/stock-change.ts";
import { snapshotEvent } from "./watch-message.ts";

export const pageItems = 500;
/** Most pages in the cache: 32,000 items. With both encodings, a page takes about 150 KB. */
const maxPages = 64;
/** Most changes that are read at once. */
const changesAtOnce = 500;
/** How long a page can be used after the stock has changed, in milliseconds. */
const maxAgeMs = 1_000;

/** A page of the stock, as one message that all snapshots share. */
export interface SnapshotPage {
  /** Undefined when the stock is empty. It is frozen, so that it is encoded once. */
  readonly message: WatchInventoryResponse | undefined;
  /** The version of the stock when the page was read. */
  readonly version: bigint;
  /** Where the next page begins; undefined when this one was the last. */
  readonly next: bigint | undefined;
}

/** Reads the stock for all snapshots of a process. */
export interface SnapshotPages {
  /**
   * Begins a snapshot.
   *
   * @returns a version of the stock that has all changes acknowledged before the call; undefined when the next call of
   * `after` reads the first page, whose version has them too
   */
  begin(): Promise<bigint | undefined>;
  /**
   * Returns a page that was read for any snapshot. Its version can be earlier or later than the caller's.
   *
   * @param petId the page begins with the next pet; undefined for the first page
   * @param version the version of the caller's snapshot so far
   */
  after(petId: bigint | undefined, version: bigint | undefined): Promise<SnapshotPage>;
  /**
   * Reads the changes after one version up to a later one, in parts. Calls made during a read share it.
   *
   * @returns whether the history has both versions and all changes between them. If not, the parts must not be used,
   * and the pages are dropped
   */
  changes(from: bigint, to: bigint): AsyncGenerator<readonly StockChange[], boolean>;
}

/** A page that was read, or is being read. */
interface Entry {
  readonly page: Promise<SnapshotPage>;
  readonly beganAt: number;
  /** Undefined until the page was read. */
  version: bigint | undefined;
}

/**
 * Creates a cache of pages. Watches that begin together, or while nothing changes, read and encode each page once. The
 * cache is bounded: beyond {@link maxPages}, the oldest page is dropped, and read again when a snapshot needs it.
 */
export function createSnapshotPages(
  store: Pick<InventoryStore, "page" | "changesSince">,
  now = () => performance.now(),
): SnapshotPages {
  const entries = new Map<bigint | undefined, Entry>();
  const reads = new Map<string, Promise<ChangesSince | undefined>>();
  let versionThisTick: Promise<bigint> | undefined;

  function readVersion(): Promise<bigint> {
    versionThisTick ??= new Promise((resolve) => {
      setImmediate(() => {
        versionThisTick = undefined;
        resolve(store.page(undefined, 1).then(({ version }) => version));
      });
    });
    return versionThisTick;
  }

  async function read(petId: bigint | undefined): Promise<SnapshotPage> {
    const { items, version, more } = await store.page(petId, pageItems);
    return {
      message: items.length > 0 ? Object.freeze(snapshotEvent(items)) : undefined,
      version,
      next: more ? items.at(-1)?.petId : undefined,
    };
  }

  function isUsable(entry: Entry, version: bigint | undefined): boolean {
    return entry.version === version || now() < entry.beganAt + maxAgeMs;
  }

  function begin(petId: bigint | undefined): Entry {
    const page = read(petId);
    const entry: Entry = { page, beganAt: now(), version: undefined };
    const drop = () => {
      if (entries.get(petId) === entry) entries.delete(petId);
    };
    page.then(({ version }) => {
      entry.version = version;
    }, drop);
    entries.delete(petId);
    entries.set(petId, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= maxPages) break;
      entries.delete(oldest);
    }
    return entry;
  }

  function changesSince(from: bigint, to: bigint): Promise<ChangesSince | undefined> {
    const key = `${from}-${to}`;
    const known = reads.get(key);
    if (known) return known;
    const read = store.changesSince(from, changesAtOnce).finally(() => reads.delete(key));
    reads.set(key, read);
    return read;
  }

  return {
    begin: async () => (entries.has(undefined) ? readVersion() : undefined),
    after(petId, version) {
      const known = entries.get(petId);
      return (known && isUsable(known, version) ? known : begin(petId)).page;
    },
    async *changes(from, to): AsyncGenerator<readonly StockChange[], boolean> {
      const parts = changesBetween((at) => changesSince(at, to), from, to, changesAtOnce);
      const isComplete = yield* parts;
      if (!isComplete) entries.clear();
      return isComplete;
    },
  };
}
