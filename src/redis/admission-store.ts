import type { AdmissionStore, KeyDecision, KeyState, Quota } from "../access/admission-store.ts";
import { accountOfKeyId } from "../access/api-key.ts";
import { type Limits, limitsOf } from "../access/plans.ts";
import { type Scope, scopesOf } from "../access/scopes.ts";
import { remembering } from "../call/remembering.ts";
import type { Connection } from "./connection.ts";
import { decisionBytes, readQuota, verdicts } from "./decision.ts";
import type { KeptList } from "./kept-list.ts";
import { accountKey, accountWindowsKey, addressWindowsKey, refusalsKey } from "./keys.ts";
import { planChoice } from "./plan-field.ts";
import { loadBinaryScript, textOf } from "./scripts.ts";
import { batchByTurn } from "./turn-batch.ts";

/** Decisions that one script call makes at most: about half a millisecond of Redis. */
const maxBatch = 100;

/** Changes of a list that are read along with decisions: few, since callers wait for them who want no list. */
const maxChanges = 50;

/** Keys whose records are remembered, as they were read: many more than are busy at a time. */
const maxRemembered = 10_000;

/** The reply of admit-key.lua. */
type KeyReply = readonly [decisions: Buffer, listChanges?: unknown];

/**
 * Admission in Redis. The list that callers of the same turn of the event loop wait for is read along with
 * it: one script call costs less than two.
 *
 * @param now the clock in milliseconds since the epoch; the server's own when absent
 */
export function createRedisAdmissionStore(
  connection: Connection,
  now: (() => number) | undefined,
  list: Pick<KeptList, "begin">,
): AdmissionStore {
  const libraries = ["clock", "key", "window", "list-changes"] as const;
  const keyScript = loadBinaryScript<KeyReply>(connection, ...libraries, "admit-key");
  const stateScript = loadBinaryScript(connection, "clock", "key", "account", "key-states");
  const addressScript = loadBinaryScript(connection, "clock", "window", "admit-address");
  const grantOf = remembering(readGrant, maxRemembered);

  /** Has the script decide. @returns its decisions, joined */
  async function decide(keys: readonly string[]): Promise<Buffer> {
    const time = now?.() ?? "";
    let reply: Promise<KeyReply> | undefined;
    list.begin(maxChanges, (stockKeys, ofList) => {
      reply = keyScript([...keys, ...stockKeys], [time, ...ofList]);
      return reply.then(([, changes]) => textOf(changes));
    });
    const [decisions] = await (reply ?? keyScript(keys, [time]));
    return decisions;
  }

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
      const reply = await decide(keys);
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
        const keyAt = text.indexOf("\0", recordsAt) + 1;
        at = text.indexOf("\0", keyAt) + 1;
        const grantEnd = text.indexOf(" ", text.indexOf(" ", keyAt) + 1);
        const { keyId, scopes, limits } = grantOf(text.slice(recordsAt, grantEnd));
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

/** Reads an account's plan and, after a zero byte, what a key's record begins with (see key.lua). */
function readGrant(text: string): Grant {
  const [plan = "", record = ""] = text.split("\0");
  const [keyId = "", mask] = record.split(" ");
  return { keyId, scopes: new Set(scopesOf(Number(mask))), limits: limitsOf(planChoice(plan)) };
}
