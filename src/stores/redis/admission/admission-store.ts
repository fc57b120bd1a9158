import { accountOfKeyId } from "../../../access/api-key.ts";
import { append } from "../../../common/append.ts";
import type { CallContext } from "../../../common/call-context.ts";
import { present } from "../../../common/present.ts";
import type { AdmissionStore, KeyDecision, KeyState, RequestHead } from "../../admission-store.ts";
import type { Connection } from "../connection/connection.ts";
import { type AdmissionKeys, accountKey, admissionKeys } from "../keys.ts";
import { type Clock, loadBinaryScript } from "../scripts.ts";
import { batchByTick } from "../tick-batch.ts";
import { createAddressCount } from "./count-address.ts";
import { mostDecisions, readCharge, readKeyDecision, readKeyState } from "./decision.ts";
import { ReplyReader } from "./reply-reader.ts";

/** Most API keys whose keys in Redis are cached: many more than are in use at a time. */
const maxRemembered = 10_000;

/**
 * Admission in Redis. Requests of one event-loop tick share script calls.
 *
 * @param onClockSetBack called when the clock of a server was set back, with the milliseconds
 */
export function createRedisAdmissionStore(
  connection: Connection,
  now: Clock,
  onClockSetBack: (ms: number) => void = () => {},
): AdmissionStore {
  const noteClock = createClockWatch(onClockSetBack);
  const keyScript = loadBinaryScript(connection, "admit-key");
  const chargeScript = loadBinaryScript(connection, "charge-key");
  const stateScript = loadBinaryScript(connection, "key-states");
  const countAddress = createAddressCount(connection, now);
  const knownKeys = new Map<string, KnownKey>();

  /** Returns the same object for each request with an API key. To make its keys would cost as much as to send them. */
  function knownKey(accountId: string, keyHash: string): KnownKey {
    const before = knownKeys.get(keyHash);
    if (before?.accountId === accountId) return before;
    if (knownKeys.size >= maxRemembered) knownKeys.clear();
    const made = { accountId, keys: admissionKeys(accountId, keyHash), isOpen: false };
    knownKeys.set(keyHash, made);
    return made;
  }

  const admitKey: (entry: KeyEntry) => Promise<KeyDecision> = batchByTick(
    async (entries: readonly KeyEntry[]) => {
      const keys: string[] = [];
      const args: (string | number)[] = [now?.() ?? ""];
      for (const { key, head } of entries) {
        const address = key.isOpen || !head ? "" : head.network();
        const most = head?.batch?.most ?? 1;
        if (most > 1 || address !== "") args.push(keys.length + 1, most > 1 ? most : "", address);
        append(keys, key.keys);
      }
      // biome-ignore lint/plugin: at most 100 entries share a call
      const reply = await keyScript(keys, args, ...entries);
      const reader = new ReplyReader(reply);
      let decidedAt = 0;
      const outdated: [index: number, entry: KeyEntry][] = [];
      const decisions = entries.map((entry, index) => {
        const { key } = entry;
        const decision = readKeyDecision(reader, key.accountId);
        if ("caller" in decision) {
          key.isOpen = !decision.isRestricted;
          decidedAt = decision.decidedAt;
        } else if (key.isOpen && decision.verdict === "address_not_allowed") {
          outdated.push([index, entry]);
        }
        return decision;
      });
      if (decidedAt > 0) noteClock(connection.slotOf(present(keys[0], "the first key")), decidedAt);
      // The data was replaced since the process has learned that the key is open.
      for (const [index, entry] of outdated) {
        entry.key.isOpen = false;
        decisions[index] = await admitKey(entry);
      }
      return decisions;
    },
    mostDecisions,
    ({ key }) => connection.slotOf(key.keys[0]),
  );

  return {
    admitKey(accountId, keyHash, context, head): Promise<KeyDecision> {
      return admitKey({ key: knownKey(accountId, keyHash), head, record: context?.record });
    },
    async charge({ accountId, keyHash, countedAt }, requests, context) {
      const args = [now?.() ?? "", requests, countedAt];
      return readCharge(await chargeScript(knownKey(accountId, keyHash).keys, args, context));
    },
    countAddress,
    async keyStates(keyIds) {
      const byAccount = Object.entries(Object.groupBy(keyIds, accountOfKeyId));
      const states = new Map<string, KeyState>();
      const look = async ([accountId, ids = []]: (typeof byAccount)[number]) => {
        for (let at = 0; at < ids.length; at += mostDecisions) {
          const some = ids.slice(at, at + mostDecisions);
          const reply = await stateScript([accountKey(accountId)], [now?.() ?? "", ...some]);
          const reader = new ReplyReader(reply);
          for (const id of some) states.set(id, readKeyState(reader));
        }
      };
      for (let at = 0; at < byAccount.length; at += mostDecisions) {
        await Promise.all(byAccount.slice(at, at + mostDecisions).map(look));
      }
      return keyIds.map((keyId) => states.get(keyId) ?? { state: "unknown", expiresAt: undefined });
    },
  };
}

interface KeyEntry extends CallContext {
  readonly key: KnownKey;
  readonly head: RequestHead | undefined;
}

interface KnownKey {
  readonly accountId: string;
  readonly keys: AdmissionKeys;
  /** Whether the key has no networks. Then Redis does not need the client's address. False until Redis has said so. */
  isOpen: boolean;
}

/** A clock that goes back by less is not reported, in milliseconds: NTP corrects clocks, and those of servers differ. */
const leastStepMs = 1_000;

/**
 * Makes a function that compares each time of a clock with the time before.
 *
 * @param onSetBack called when a clock was set back by more than a second. @param ms by how much, in milliseconds
 */
function createClockWatch(onSetBack: (ms: number) => void) {
  const latest = new Map<number, number>();
  /** @param slot the slot whose server has the clock @param time in milliseconds since the epoch */
  return (slot: number, time: number): void => {
    const step = (latest.get(slot) ?? 0) - time;
    latest.set(slot, time);
    if (step > leastStepMs) onSetBack(step);
  };
}
