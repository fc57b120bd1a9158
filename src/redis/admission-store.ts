import { countersOf } from "../access/address-counters.ts";
import type { AdmissionStore, KeyDecision, KeyState, Quota } from "../access/admission-store.ts";
import { accountOfKeyId } from "../access/api-key.ts";
import { type Limits, limitsOf } from "../access/plans.ts";
import { type Scope, scopesOf } from "../access/scopes.ts";
import { remembering } from "../call/remembering.ts";
import type { Connection } from "./connection.ts";
import { decisionBytes, readQuota, verdicts } from "./decision.ts";
import type { KeptList } from "./kept-list.ts";
import { accountKey, accountWindowsKey, addressWindowsKey, refusalsKey } from "./keys.ts";
import { createKnownRefusals } from "./known-refusals.ts";
import { planChoice } from "./plan-field.ts";
import { loadBinaryScript, textOf } from "./scripts.ts";
import { batchByTurn } from "./turn-batch.ts";

/** Keys that one script call decides on, or looks up, at most: about half a millisecond of Redis. */
const maxBatch = 100;

/** Changes of a list that are read along with decisions: few, since callers wait for them who want no list. */
const maxChanges = 50;

/** Keys whose records are remembered, as they were read: many more than are busy at a time. */
const maxRemembered = 10_000;

/** Refusals by address that are known without asking: about 4 MB. */
const maxKnownRefusals = 10_000;

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
  const libraries = ["clock", "key", "window", "refusal"] as const;
  const keyScript = loadBinaryScript<KeyReply>(connection, ...libraries, "history", "admit-key");
  const chargeScript = loadBinaryScript(connection, ...libraries, "charge-key");
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
      for (const { accountId, keyHash } of entries) keys.push(...keysOf(accountId, keyHash));
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

  const refusals = createKnownRefusals(maxKnownRefusals);
  const clock = now ?? (() => performance.now());

  const admitAddress = batchByTurn(async (entries: readonly AddressEntry[]) => {
    const keys: string[] = [];
    const args: (string | number)[] = [now?.() ?? ""];
    for (const { networks } of entries) {
      args.push(networks.length);
      for (const { key, limits } of networks) {
        keys.push(key);
        args.push(limits.perMinute, limits.perDay);
      }
    }
    const askedAt = clock();
    const reply = await addressScript(keys, args);
    const times = { askedAt, answeredAt: clock() };
    return entries.map(({ networks }, entry): Quota => {
      const at = entry * (1 + decisionBytes);
      const { key, limits } = networks[reply.readUInt8(at)] as AddressNetwork;
      const quota = readQuota(reply, at + 1, limits);
      if (quota.verdict === "limited") refusals.add(key, limits, quota, times);
      return quota;
    });
  }, maxBatch);

  /**
   * @returns the longest of the refusals that are known; undefined when the address may be admitted. Another
   * network may refuse for longer, which the client learns when it tries again
   */
  function knownRefusal(networks: readonly AddressNetwork[]): Quota | undefined {
    const time = clock();
    let longest: Quota | undefined;
    for (const { key, limits } of networks) {
      const known = refusals.find(key, limits, time);
      if (known && known.retryInMs > (longest?.retryInMs ?? 0)) longest = known;
    }
    return longest;
  }

  return {
    admitKey: (accountId, keyHash): Promise<KeyDecision> => admitKey({ accountId, keyHash }),

    async charge({ accountId, keyHash, countedAt }, requests) {
      const args = [now?.() ?? "", requests, countedAt];
      const reply = await chargeScript(keysOf(accountId, keyHash), args);
      if (verdicts[reply.readUInt8(0)] === "unknown") return { verdict: "unknown" };
      const plan = reply.toString("latin1", decisionBytes);
      return readQuota(reply, 0, limitsOf(planChoice(plan)));
    },

    async admitAddress(address, limits) {
      const networks = countersOf(address, limits).map((counter) => ({
        key: addressWindowsKey(counter),
        limits: counter.limits,
      }));
      return knownRefusal(networks) ?? admitAddress({ networks });
    },

    async keyStates(keyIds) {
      const byAccount = Object.entries(Object.groupBy(keyIds, accountOfKeyId));
      const lookups = byAccount.flatMap(([accountId, ids = []]) => slices(accountId, ids));
      const states = new Map<string, KeyState>();
      const look = async ([accountId, ids]: Lookup) => {
        const found = await stateScript([accountKey(accountId)], [now?.() ?? "", ...ids]);
        ids.forEach((id, index) => {
          const verdict = verdicts[found.readUInt8(index)];
          states.set(id, verdict === "admitted" ? "valid" : (verdict as KeyState));
        });
      };
      for (let at = 0; at < lookups.length; at += maxBatch) {
        await Promise.all(lookups.slice(at, at + maxBatch).map(look));
      }
      return keyIds.map((keyId) => states.get(keyId) ?? "unknown");
    },
  };
}

/** The keys that a decision on a request with an API key needs. */
function keysOf(accountId: string, keyHash: string) {
  return [
    accountKey(accountId),
    accountWindowsKey(accountId),
    refusalsKey(accountId, keyHash),
  ] as const;
}

/** Keys of an account that one script call looks up. */
type Lookup = readonly [accountId: string, keyIds: readonly string[]];

/** Few enough keys for each script call. */
function slices(accountId: string, keyIds: readonly string[]): Lookup[] {
  const found: Lookup[] = [];
  for (let at = 0; at < keyIds.length; at += maxBatch) {
    found.push([accountId, keyIds.slice(at, at + maxBatch)]);
  }
  return found;
}

/** A network that a request without a valid key is counted for. */
interface AddressNetwork {
  /** Of its windows. */
  readonly key: string;
  readonly limits: Limits;
}

/** A request without a valid key. */
interface AddressEntry {
  /** From the narrowest to the widest. */
  readonly networks: readonly AddressNetwork[];
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
