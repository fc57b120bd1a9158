import type { CallContext } from "../call/context.ts";

/** The parts of an entry that its hash covers, in addition to the hash before. */
export interface ChainedEntry {
  /** The number of the entry: 1 for the first, without gaps. */
  readonly sequence: number;
  /** When the entry was written, by the store's clock, in milliseconds since the epoch. */
  readonly time: number;
  /** What the entry says: a JSON object (see `src/audit/body.ts`). It is stored and hashed byte for byte. */
  readonly body: string;
}

/** An entry of the audit trail. */
export interface AuditEntry extends ChainedEntry {
  /** The hash that is stored with the entry (see `src/audit/chain.ts`). */
  readonly hash: string;
}

/** An entry with the hash of the entry before it. */
export interface LinkedEntry extends AuditEntry {
  readonly previous: string;
}

/** Where the trail begins and ends. */
export interface TrailEnds {
  /** The sequence number of the oldest entry, or of the next entry if the trail is empty. */
  readonly oldest: number;
  /** The hash of the last entry that was removed because of the trail's length. */
  readonly anchor: string;
  /** The sequence number of the newest entry; 0 before the first. */
  readonly newest: number;
  /** The hash of the newest entry. */
  readonly hash: string;
}

/** Entries of the trail, oldest first, and where the trail began and ended when they were read. */
export interface TrailPage {
  readonly entries: readonly LinkedEntry[];
  readonly ends: TrailEnds;
}

/** Stores the audit trail. All functions throw ConnectError unavailable. */
export interface AuditStore {
  /**
   * Appends an entry, with the next sequence number, which it returns, and the store's time. If it throws, the entry may
   * have been appended all the same. The deadline of the context does not count: the result of a change is recorded even
   * if the client waits no longer.
   */
  append(body: string, context?: CallContext): Promise<number>;
  /** Reads up to {@link maxEntriesAtOnce} entries. @param first the lowest number; undefined for the newest entries */
  read(first: number | undefined, limit: number, context?: CallContext): Promise<TrailPage>;
}

/** The highest number of entries that one call reads. An entry has up to 4 KiB. */
export const maxEntriesAtOnce = 100;

/** Most entries that are removed with one that is appended, because removing them takes the store time. */
export const mostEntriesTrimmed = 20;

/** Adds to each entry the hash of the one before. @param entries consecutive, oldest first */
export function linked(entries: readonly AuditEntry[], before: string): LinkedEntry[] {
  return entries.map((entry, index) => ({
    ...entry,
    previous: entries[index - 1]?.hash ?? before,
  }));
}
