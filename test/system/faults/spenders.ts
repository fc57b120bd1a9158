import type { Client, Outcome } from "./client.ts";

/** Number of refusals after which the spenders turn to the next account. */
const enoughRefusals = 20;

/** An account with a small quota, and what became of its requests. */
export interface Spent {
  readonly accountId: string;
  readonly secret: string;
  admitted: number;
  refused: number;
  /** Requests that got 503, so that nobody knows whether they used up quota. */
  unknown: number;
  /** The times of `performance.now()` of the first request and of the last response, in ms. */
  begunAt: number;
  endedAt: number;
}

/** Spends the quota of one account after another, through all clients at once. */
export interface Spenders {
  readonly spent: readonly Spent[];
  readonly current: Spent;
  /** The account that is used now, and some of the next ones. */
  readonly upcoming: readonly Spent[];
  /** Creates a call for one client. `open` creates the client for an account's key. */
  caller(open: (key: string) => Client): () => Promise<Outcome>;
}

/** @param keys one key for each account. There must be enough of them for the whole test */
export function createSpenders(
  keys: readonly { readonly accountId: string; readonly secret: string }[],
): Spenders {
  const accounts: Spent[] = keys.map((key) => ({
    ...key,
    admitted: 0,
    refused: 0,
    unknown: 0,
    begunAt: Number.POSITIVE_INFINITY,
    endedAt: 0,
  }));
  let at = 0;
  const current = () => {
    const account = accounts[at];
    if (!account) throw new Error("there are too few accounts for this test");
    return account;
  };
  return {
    get current() {
      return current();
    },
    get upcoming() {
      return accounts.slice(at, at + 5);
    },
    get spent() {
      return accounts.filter(({ endedAt }) => endedAt > 0);
    },
    caller(open) {
      const clients = new Map<Spent, Client>();
      return async () => {
        const account = current();
        const client = clients.get(account) ?? open(account.secret);
        clients.set(account, client);
        account.begunAt = Math.min(account.begunAt, performance.now());
        const outcome = await client.list();
        account.endedAt = performance.now();
        if (outcome.code === "ok") account.admitted += 1;
        else if (outcome.code === "resource_exhausted") account.refused += 1;
        else account.unknown += 1;
        if (account === accounts[at] && account.refused >= enoughRefusals) at += 1;
        return outcome;
      };
    },
  };
}
