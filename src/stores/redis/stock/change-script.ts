import { hash } from "node:crypto";
import { deadlineExceeded, hasPassed } from "connect-gateway/call";
import type { Redis } from "ioredis";
import { append } from "../../../common/append.ts";
import type { CallContext } from "../../../common/call-context.ts";
import type { BatchRefused } from "../../inventory-store.ts";
import type { OrderLimits } from "../../order-store.ts";
import {
  type CountRefusal,
  type HistoryLimits,
  type Idempotency,
  type KeyReused,
  type Origin,
  type Outcome,
  type Refusal,
  unknownOrigin,
} from "../../stock-change.ts";
import type { Connection } from "../connection/connection.ts";
import { runIdOf } from "../connection/info.ts";
import { holdIndexKey, holdsKey, itemsKey, outcomeKey, stockKeys, stockRunKey } from "../keys.ts";
import { type Clock, loadLateScript } from "../scripts.ts";
import { batchByTick } from "../tick-batch.ts";

/** Keys of every script that changes the stock, in the order that change.lua expects. */
export const changeKeys = [...stockKeys, stockRunKey, holdsKey, holdIndexKey] as const;

/** Settings of the stores of stock and orders. */
export interface StockSettings {
  readonly now: Clock;
  /** Limits of the history; no limits when absent. */
  readonly history?: HistoryLimits | undefined;
  /** Limits of the orders of each account; no limits when absent. */
  readonly orders?: OrderLimits | undefined;
  /** Called when the history is still too long after a change. */
  readonly trimHistory: () => void;
}

/** Settings of a command, which trims no history. */
export const lastingSettings: StockSettings = { now: undefined, trimHistory: () => {} };

/** The properties of a change, other than its values. */
interface ChangeParts {
  readonly origin?: Origin | undefined;
  readonly idempotency?: Idempotency | undefined;
  /** Redis keys, in addition to those of the stock. */
  readonly keys?: readonly string[];
}

/** Most changes of one script call. It takes Redis less than a millisecond. */
const maxChanges = 50;

interface Change extends ChangeParts, CallContext {
  readonly values: Values;
}

type Values = readonly (string | number)[];

const notSent = Symbol("not sent");

/**
 * Makes a function that calls a script which changes the stock, unless the deadline of the call passes before it is sent. It
 * returns the script's reply, and throws ConnectError unavailable or deadline_exceeded. Changes of one event-loop tick share
 * script calls, which decide on each of them separately.
 *
 * @param most "many" when changes share a call; "alone" when one change has so many values that it needs its own
 * @param name its Lua function, with `-` for `_`
 */
export function loadChangeScript(
  connection: Connection,
  { now, history, trimHistory }: StockSettings,
  most: "many" | "alone",
  name: string,
) {
  const script = loadLateScript(connection, name);
  const limits = history ? [history.length, history.ageMs] : ["", ""];
  const run = batchByTick(
    async (changes: readonly Change[]) => {
      let sent = changes;
      const argumentsNow = (redis: Redis) => {
        sent = inTime(changes);
        const keys: string[] = [...changeKeys];
        // The clock of a test is the same on every server.
        const run = now ? "" : runIdOf(redis);
        const args: (string | number)[] = [now?.() ?? "", ...limits, run];
        for (const each of sent) appendChange(keys, args, each);
        return [keys, args] as const;
      };
      const replies = (await script(itemsKey, argumentsNow, changes)) as readonly unknown[];
      if (replies.length > sent.length) trimHistory();
      let next = 0;
      return changes.map((change) => (change === sent[next] ? replies[next++] : notSent));
    },
    most === "many" ? maxChanges : 1,
  );
  return async (parts: ChangeParts, values: Values, context?: CallContext): Promise<unknown> => {
    const { deadline, record } = context ?? {};
    for (;;) {
      const reply = await run({ ...parts, values, deadline, record });
      if (reply === notSent) throw deadlineExceeded();
      // More holds are due than one script call ends. The first character is that of an outcome (see outcome.lua).
      if (reply !== "again" && reply !== "0again") return reply;
    }
  };
}

/** @throws ConnectError deadline_exceeded when the deadlines of all changes have passed */
function inTime(changes: readonly Change[]): readonly Change[] {
  const some = changes.filter(({ deadline }) => !hasPassed(deadline));
  if (some.length === 0) throw deadlineExceeded();
  return some;
}

/** Appends a change to the keys and arguments of a script call (see change.lua). */
function appendChange(keys: string[], args: (string | number)[], change: Change): void {
  const { origin = unknownOrigin, idempotency, keys: own = [], values } = change;
  const { reason, note, reference, accountId, keyId, requestId } = origin;
  const fingerprint = idempotency?.fingerprint ?? "";
  const before = keys.length;
  append(keys, own);
  if (idempotency) keys.push(outcomeKey(accountId, hash("sha256", idempotency.key, "base64url")));
  args.push(keys.length - before, values.length, reason, note, reference, accountId, keyId);
  args.push(requestId, fingerprint);
  append(args, values);
}

/** Parses the reply of decide_once. @param read parses an outcome other than `key_reused` */
export function outcomeOf<T>(reply: unknown, read: (outcome: string) => T): Outcome<T> {
  const text = reply as string;
  const value = text.slice(1);
  const outcome: T | KeyReused = value === "key_reused" ? { kind: value } : read(value);
  return { ...outcome, replayed: text.startsWith("1") };
}

/** Parses a refusal: its kind and its values. It is one of those that the script can return. */
export function refusalOf<R = Refusal>(text: string): R {
  return parseRefusal(text) as R;
}

function parseRefusal(text: string): Refusal | CountRefusal {
  const [kind = "", first = "", second] = text.split(" ");
  switch (kind) {
    case "no_pet":
      return { kind };
    case "version_mismatch":
    case "quantity_mismatch":
      return { kind, version: BigInt(first), quantity: Number(second) };
    case "too_small":
      return { kind, quantity: Number(first) };
    case "too_large":
      return { kind, quantity: Number(first), held: Number(second) };
    case "on_hand_mismatch":
      return { kind, onHand: Number(first) };
    case "below_held":
      return { kind, held: Number(first) };
    default:
      throw new Error(`unexpected reply of a script: ${text}`);
  }
}

/** Parses `refused <how many>`, and the refusals as `<index> <refusal>` on lines of their own. */
export function batchRefusal<R = Refusal>(outcome: string): BatchRefused<R> {
  const [first = "", ...lines] = outcome.split("\n");
  return {
    kind: "refused",
    refusals: lines.map((line) => {
      const [index = "", refusal = ""] = line.split(/ (.*)/);
      return { index: Number(index), refusal: refusalOf(refusal) };
    }),
    total: Number(first.slice("refused ".length)),
  };
}
