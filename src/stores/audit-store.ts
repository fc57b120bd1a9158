import type { CallContext } from "../common/call-context.ts";

export interface AuditEntry {
  /** The number of the entry: 1 for the first, without gaps. */
  readonly sequence: number;
  /** When the entry was written, by the store's clock, in milliseconds since the epoch. It never decreases. */
  readonly time: number;
  /** What the entry says: a JSON object (see `src/audit/body.ts`). */
  readonly body: string;
}

/** Where the trail begins and ends. */
export interface TrailEnds {
  /** The sequence number of the oldest entry, or of the next entry if the trail is empty. */
  readonly oldest: number;
  /** The sequence number of the newest entry; 0 before the first. */
  readonly newest: number;
}

/** Entries of the trail, oldest first, and where the trail began and ended when they were read. */
export interface TrailPage {
  readonly entries: readonly AuditEntry[];
  readonly ends: TrailEnds;
}

/** Stores the audit trail. All functions throw ConnectError unavailable. */
export interface AuditStore {
  /**
   * Appends an entry, with the store's time, and returns its sequence number. If it throws, the entry may have been appended
   * all the same. The deadline does not count: the result of a change is recorded even if the client waits no longer.
   */
  append(body: string, context?: CallContext): Promise<number>;
  /** Reads up to {@link maxEntriesAtOnce} entries. @param first the lowest number; undefined for the newest entries */
  read(first: number | undefined, limit: number, context?: CallContext): Promise<TrailPage>;
}

/** The highest number of entries that one call reads. An entry has up to 4 KiB. */
export const maxEntriesAtOnce = 100;

/** Most entries that are removed with those of one call, because removing them takes the store time. */
export const mostEntriesTrimmed = 100;
