import type { AuditEntry, TrailEnds } from "../stores/audit-store.ts";
import { chainHash } from "./chain.ts";

export type ChainCheck = ReturnType<typeof createChainCheck>;

/**
 * Makes a check of a hash chain, entry by entry. After the first problem, it checks nothing more.
 *
 * @param oldest the sequence number that the first entry must have
 * @param anchor the hash before it
 */
export function createChainCheck(oldest: number, anchor: string) {
  let sequence = oldest - 1;
  let hash = anchor;

  return {
    /** Checks the next entry. @returns what is wrong, in one line; undefined if nothing is */
    add(entry: AuditEntry): string | undefined {
      const expected = sequence + 1;
      if (entry.sequence > expected) return missing(expected, entry.sequence - 1);
      if (entry.sequence < expected) {
        return `entry ${entry.sequence} is in the place of entry ${expected}`;
      }
      if (entry.hash !== chainHash(hash, entry)) {
        return `entry ${expected} does not have its hash: it was changed, or an entry before it was`;
      }
      sequence = expected;
      hash = entry.hash;
      return undefined;
    },
    /** Checks that the last entry is the one at which the trail ends. */
    end(ends: Pick<TrailEnds, "newest" | "hash">): string | undefined {
      if (ends.newest > sequence) return missing(sequence + 1, ends.newest);
      if (ends.newest < sequence) {
        return `entry ${ends.newest + 1} is there, but the trail ends with entry ${ends.newest}`;
      }
      if (ends.hash !== hash) return `entry ${sequence} is not the one at the end of the trail`;
      return undefined;
    },
    /** The sequence number of the last entry. */
    get sequence() {
      return sequence;
    },
    /** The hash of the last entry. */
    get hash() {
      return hash;
    },
  };
}

function missing(from: number, to: number): string {
  return from === to ? `entry ${from} is missing` : `entries ${from} to ${to} are missing`;
}
