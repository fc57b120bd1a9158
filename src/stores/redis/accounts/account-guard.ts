import { singleFlight } from "connect-gateway/call";
import { minuteMs } from "../../../common/durations.ts";
import type { AccountIndex, Amended } from "./account-index.ts";

/** How long an account is not checked again, in milliseconds. */
const recheckMs = 10 * minuteMs;

/** The most accounts that it remembers: about 2 MB. With more, accounts are checked more often. */
const maxConfirmed = 20_000;

/** The most accounts that wait for their check. Others are checked when their next requests are counted. */
const maxWaiting = 1_000;

/** The accounts of one command. */
const accountsAtOnce = 100;

/**
 * Makes a guard, which sees to it that each account in use is in the index, or deleted if its deletion was undone. It checks
 * accounts whose requests were counted, so it adds nothing to a request.
 *
 * @param onAmended called with each account that was not in the index, and what was done with it
 */
export function createAccountGuard(
  index: AccountIndex,
  onAmended: (accountId: string, amended: Amended) => void,
) {
  const confirmed = new Set<string>();
  /** Accounts that are checked, or will be. */
  const waiting = new Set<string>();
  let forgetAt = 0;

  const checkAll = singleFlight(async () => {
    while (waiting.size > 0) {
      const accountIds = [...waiting.values().take(accountsAtOnce)];
      for (const accountId of await index.unlisted(accountIds)) {
        const amended = await index.amend(accountId);
        if (amended !== "settled") onAmended(accountId, amended);
      }
      if (confirmed.size + accountIds.length > maxConfirmed) confirmed.clear();
      for (const accountId of accountIds) {
        confirmed.add(accountId);
        waiting.delete(accountId);
      }
    }
  });

  return {
    /** Checks accounts soon, unless it has checked them lately. Never fails. */
    seen(accountIds: readonly string[]): void {
      const now = performance.now();
      if (now >= forgetAt) {
        confirmed.clear();
        forgetAt = now + recheckMs;
      }
      for (const accountId of accountIds) {
        if (!confirmed.has(accountId) && waiting.size < maxWaiting) waiting.add(accountId);
      }
      // The connection has reported the error. The accounts are checked when their next requests are counted.
      if (waiting.size > 0) checkAll().catch(() => waiting.clear());
    },
    /** Forgets which accounts it has checked. Call it after a connection, because it may follow a failover. */
    forget: () => confirmed.clear(),
  };
}
