import { SharedPool } from "connect-gateway/call";
import type { CountedOutcome } from "../../access/usage-counter.ts";
import type { KeyMinute } from "../../stores/usage-store.ts";

/** The most counts in memory: about 10 MB. Requests that need more, or more than the account's share, are dropped. */
const maxCounts = 50_000;

type Counts = { -readonly [Name in keyof KeyMinute]: KeyMinute[Name] };

export interface Pending {
  readonly accountId: string;
  /** When the first of its requests was counted, on the clock of performance.now(). */
  readonly since: number;
  requests: number;
  /** The last minute of each key. */
  readonly current: Map<string, Counts>;
  readonly earlier: Counts[];
}

/** Makes an empty collection of counts that are not in the store yet. @param onDropped called with the number of requests for which there is no place */
export function createPendingCounts(onDropped: (requests: number) => void) {
  const pending = new Map<string, Pending>();
  const places = new SharedPool({ name: "usage counts", size: maxCounts });

  function pendingOf(accountId: string): Pending {
    let found = pending.get(accountId);
    if (!found) {
      const since = performance.now();
      found = { accountId, since, requests: 0, current: new Map(), earlier: [] };
      pending.set(accountId, found);
    }
    return found;
  }

  function countsOf(account: Pending, keyId: string, minute: number): Counts | undefined {
    const last = account.current.get(keyId);
    if (last?.minute === minute) return last;
    const before =
      last && account.earlier.find((one) => one.keyId === keyId && one.minute === minute);
    if (before) return before;
    const { accountId } = account;
    if (!places.holderOf(accountId).enter()) return undefined;
    const counts = { accountId, keyId, minute, admitted: 0, limited: 0, banned: 0 };
    if (last && last.minute > minute) {
      account.earlier.push(counts);
    } else {
      if (last) account.earlier.push(last);
      account.current.set(keyId, counts);
    }
    return counts;
  }

  return {
    /** @param requests how many; negative to take back requests that were counted with the same outcome and minute */
    add(
      { accountId, keyId }: Pick<KeyMinute, "accountId" | "keyId">,
      minute: number,
      outcome: CountedOutcome,
      requests: number,
    ): void {
      const account = pendingOf(accountId);
      const counts = countsOf(account, keyId, minute);
      if (!counts) {
        // An account without counts would stay in memory, and has no place.
        if (account.current.size === 0) pending.delete(accountId);
        onDropped(Math.max(0, requests));
        return;
      }
      counts[outcome] += requests;
      account.requests += Math.abs(requests);
    },
    /** Removes the counts of an account. @returns them */
    take(accountId: string): KeyMinute[] {
      const account = pending.get(accountId);
      if (!account) return [];
      pending.delete(accountId);
      const counts = [...account.earlier, ...account.current.values()];
      const holder = places.holderOf(accountId);
      for (const _ of counts) holder.leave();
      return counts;
    },
    all: () => [...pending.values()],
    isHalfFull: () => places.held > maxCounts / 2,
  };
}
