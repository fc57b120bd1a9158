import type {
  AdmissionStore,
  KeyDecision,
  KeyState,
  Quota,
  Standing,
  Standings,
} from "../access/admission-store.ts";
import { accountOfKeyId } from "../access/api-key.ts";
import type { Limits } from "../access/plans.ts";
import { type Scope, scopesOf } from "../access/scopes.ts";
import type { Connection } from "./connection.ts";
import { accountKey, accountWindowsKey, addressWindowsKey, refusalsKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";
import { batchByTurn } from "./turn-batch.ts";

/** Decisions that one script call makes at most: about half a millisecond of Redis. */
const maxBatch = 100;

/**
 * Admission in Redis.
 *
 * @param now the clock in milliseconds since the epoch; the server's own when absent
 */
export function createRedisAdmissionStore(
  connection: Connection,
  now: (() => number) | undefined,
): AdmissionStore {
  const keyScript = loadScript(connection, "clock", "window", "admit-key");
  const stateScript = loadScript(connection, "clock", "key-states");
  const addressScript = loadScript(connection, "clock", "window", "admit-address");

  const admitKey = batchByTurn(
    async (entries: readonly { accountId: string; keyHash: string }[]) => {
      const keys = entries.flatMap(({ accountId, keyHash }) => [
        accountKey(accountId),
        accountWindowsKey(accountId),
        refusalsKey(accountId, keyHash),
      ]);
      const hashes = entries.map(({ keyHash }) => keyHash);
      return lines(await keyScript(keys, [now?.() ?? "", ...hashes]));
    },
    maxBatch,
  );

  const admitAddress = batchByTurn(
    async (entries: readonly { address: string; limits: Limits }[]) => {
      const keys = entries.map(({ address }) => addressWindowsKey(address));
      const limits = entries.flatMap((entry) => [entry.limits.perMinute, entry.limits.perDay]);
      return lines(await addressScript(keys, [now?.() ?? "", ...limits]));
    },
    maxBatch,
  );

  return {
    async admitKey(accountId, keyHash) {
      return keyDecision(accountId, await admitKey({ accountId, keyHash }));
    },

    async admitAddress(address, limits) {
      return quotaOf((await admitAddress({ address, limits })).split(" "));
    },

    async keyStates(keyIds) {
      const byAccount = Object.entries(Object.groupBy(keyIds, accountOfKeyId));
      const states = new Map<string, KeyState>();
      const look = async ([accountId, ids = []]: [string, string[] | undefined]) => {
        const found = lines(await stateScript([accountKey(accountId)], [now?.() ?? "", ...ids]));
        ids.forEach((id, index) => {
          states.set(id, found[index] as KeyState);
        });
      };
      for (let at = 0; at < byAccount.length; at += maxBatch) {
        await Promise.all(byAccount.slice(at, at + maxBatch).map(look));
      }
      return keyIds.map((keyId) => states.get(keyId) ?? "unknown");
    },
  };
}

function lines(reply: unknown): string[] {
  return String(reply).split("\n");
}

function keyDecision(accountId: string, line: string): KeyDecision {
  if (line === "unknown" || line === "revoked" || line === "expired") {
    return { verdict: line };
  }
  const words = line.split(" ");
  const caller = {
    accountId,
    keyId: words[12] ?? "",
    scopes: scopeSet(Number(words[13])),
  };
  return { caller, ...quotaOf(words) };
}

/** One set for each of the few masks: callers share them. */
const scopeSets = new Map<number, ReadonlySet<Scope>>();

function scopeSet(mask: number): ReadonlySet<Scope> {
  let set = scopeSets.get(mask);
  if (!set) {
    set = new Set(scopesOf(mask));
    scopeSets.set(mask, set);
  }
  return set;
}

/** Reads `<verdict> <retry in> <standing of the minute> <standing of the day>`. */
function quotaOf(words: readonly string[]): Quota {
  const standings: Standings = { minute: standingOf(words, 2), day: standingOf(words, 7) };
  return { verdict: words[0] as Quota["verdict"], standings, retryInMs: Number(words[1]) };
}

function standingOf(words: readonly string[], at: number): Standing {
  return {
    limit: Number(words[at]),
    remaining: Number(words[at + 1]),
    wholeAt: Number(words[at + 2]),
    moreInMs: Number(words[at + 3]),
    waitMs: Number(words[at + 4]),
  };
}
