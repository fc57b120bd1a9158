import type { AdmissionStore, KeyDecision, KeyState, Quota } from "../access/admission-store.ts";
import { accountOfKeyId } from "../access/api-key.ts";
import { type Limits, limitsOf } from "../access/plans.ts";
import { remembering } from "../access/remembering.ts";
import { type Scope, scopesOf } from "../access/scopes.ts";
import type { Connection } from "./connection.ts";
import { decisionBytes, readQuota, verdicts } from "./decision.ts";
import { accountKey, accountWindowsKey, addressWindowsKey, refusalsKey } from "./keys.ts";
import { planChoice } from "./plan-field.ts";
import { loadBinaryScript } from "./scripts.ts";
import { batchByTurn } from "./turn-batch.ts";

/** Decisions that one script call makes at most: about half a millisecond of Redis. */
const maxBatch = 100;

/** Keys whose records are remembered, as they were read: many more than are busy at a time. */
const maxRemembered = 10_000;

/**
 * Admission in Redis.
 *
 * @param now the clock in milliseconds since the epoch; the server's own when absent
 */
export function createRedisAdmissionStore(
  connection: Connection,
  now: (() => number) | undefined,
): AdmissionStore {
  const keyScript = loadBinaryScript(connection, "clock", "key", "window", "admit-key");
  const stateScript = loadBinaryScript(connection, "clock", "key", "key-states");
  const addressScript = loadBinaryScript(connection, "clock", "window", "admit-address");
  const grantOf = remembering(readGrant, maxRemembered);

  const admitKey = batchByTurn(
    async (entries: readonly { accountId: string; keyHash: string }[]) => {
      const keys: string[] = [];
      for (const { accountId, keyHash } of entries) {
        keys.push(
          accountKey(accountId),
          accountWindowsKey(accountId),
          refusalsKey(accountId, keyHash),
        );
      }
      const reply = await keyScript(keys, [now?.() ?? ""]);
      const text = reply.toString("latin1");
      let at = 0;
      return entries.map(({ accountId }): KeyDecision => {
        const verdict = verdicts[reply[at] as number];
        if (verdict === "unknown" || verdict === "revoked" || verdict === "expired") {
          at += 1;
          return { verdict };
        }
        const quotaAt = at;
        const recordsAt = at + decisionBytes;
        const recordsEnd = text.indexOf("\0", text.indexOf("\0", recordsAt) + 1);
        at = recordsEnd + 1;
        const { keyId, scopes, limits } = grantOf(text.slice(recordsAt, recordsEnd));
        const caller = { accountId, keyId, scopes };
        return { caller, ...readQuota(reply, quotaAt, limits) };
      });
    },
    maxBatch,
  );

  const admitAddress = batchByTurn(
    async (entries: readonly { address: string; limits: Limits }[]) => {
      const keys = entries.map(({ address }) => addressWindowsKey(address));
      const limits = entries.flatMap((entry) => [entry.limits.perMinute, entry.limits.perDay]);
      const reply = await addressScript(keys, [now?.() ?? "", ...limits]);
      return entries.map(
        (entry, index): Quota => readQuota(reply, index * decisionBytes, entry.limits),
      );
    },
    maxBatch,
  );

  return {
    admitKey: (accountId, keyHash): Promise<KeyDecision> => admitKey({ accountId, keyHash }),
    admitAddress: (address, limits) => admitAddress({ address, limits }),

    async keyStates(keyIds) {
      const byAccount = Object.entries(Object.groupBy(keyIds, accountOfKeyId));
      const states = new Map<string, KeyState>();
      const look = async ([accountId, ids = []]: [string, string[] | undefined]) => {
        const found = await stateScript([accountKey(accountId)], [now?.() ?? "", ...ids]);
        ids.forEach((id, index) => {
          const verdict = verdicts[found.readUInt8(index)];
          states.set(id, verdict === "admitted" ? "valid" : (verdict as KeyState));
        });
      };
      for (let at = 0; at < byAccount.length; at += maxBatch) {
        await Promise.all(byAccount.slice(at, at + maxBatch).map(look));
      }
      return keyIds.map((keyId) => states.get(keyId) ?? "unknown");
    },
  };
}

/** What a valid key grants. */
interface Grant {
  readonly keyId: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly limits: Limits;
}

/** Reads an account's plan and, after a zero byte, a key's `<key id> <scope mask> <expires> <revoked>`. */
function readGrant(text: string): Grant {
  const [plan = "", record = ""] = text.split("\0");
  const [keyId = "", mask] = record.split(" ");
  return { keyId, scopes: new Set(scopesOf(Number(mask))), limits: limitsOf(planChoice(plan)) };
}
