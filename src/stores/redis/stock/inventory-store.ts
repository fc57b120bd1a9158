import { hash } from "node:crypto";
import type { Redis } from "ioredis";
import type { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { append } from "../../../call/append.ts";
import type { CallContext } from "../../../call/context.ts";
import { deadlineExceeded, hasPassed } from "../../../call/deadline.ts";
import type {
  AllChanged,
  BatchRefused,
  InventoryStore,
  PutTooLarge,
  QuantityDelta,
  QuantityUpdate,
} from "../../inventory-store.ts";
import type { OrderLimits } from "../../order-store.ts";
import {
  type ChangeRequest,
  type Conditions,
  type HistoryLimits,
  type Idempotency,
  type KeyReused,
  type Origin,
  type Outcome,
  type Refusal,
  unknownOrigin,
} from "../../stock-change.ts";
import type { Connection } from "../connection/connection.ts";
import { operations } from "../connection/operation.ts";
import { runIdOf } from "../connection/run-id.ts";
import type { Send } from "../connection/send.ts";
import type { History } from "../history/history.ts";
import { holdIndexKey, holdsKey, itemsKey, outcomeKey, stockKeys, stockRunKey } from "../keys.ts";
import { pairsOf } from "../pairs.ts";
import { type Clock, loadLateScript } from "../scripts.ts";
import { batchByTick } from "../tick-batch.ts";
import { optionalItem, versionedItem } from "./item-value.ts";
import type { ListCache } from "./list-cache.ts";

/** Most items of one command. It takes Redis less than a tenth of a millisecond. */
const maxGets = 100;

/** One item that waits to be read. */
interface ItemRead extends CallContext {
  readonly petId: bigint;
}

/** Functions that read more than single items. */
interface Reading {
  readonly page: InventoryStore["page"];
  readonly history: History;
  readonly list: ListCache;
}

/** Whether a number replaces a quantity, or is added to it. */
type Mode = "set" | "add";

/** The stock in Redis. */
export function createRedisInventoryStore(
  connection: Connection,
  settings: StockSettings,
  { page, history, list }: Reading,
): InventoryStore {
  const changeQuantity = loadChangeScript(connection, settings, "many", "change-quantity");
  const changeQuantities = loadChangeScript(connection, settings, "alone", "change-quantities");
  const setStatus = loadChangeScript(connection, settings, "many", "set-status");
  const createItem = loadChangeScript(connection, settings, "many", "create-item");
  const putItems = loadChangeScript(connection, settings, "alone", "put-items");
  const removeItem = loadChangeScript(connection, settings, "many", "remove-item");
  const get = batchByTick(async (reads: readonly ItemRead[]) => {
    const fields = reads.map(({ petId }) => String(petId));
    const send: Send<(string | null)[]> = (redis) => redis.hmget(itemsKey, ...fields);
    return connection.run(itemsKey, send, operations.hmget, reads);
  }, maxGets);

  /** Makes a function that changes the quantity of one item. */
  function oneChange(mode: Mode): InventoryStore["adjust"] {
    return async (petId, number, request = {}, context) => {
      const args = [String(petId), mode, number, ...conditionArguments(request.conditions)];
      const reply = await changeQuantity(request, args, context);
      return outcomeOf(reply, (outcome) => changeOf(petId, outcome));
    };
  }

  /** Makes a function that changes the quantities of several items. */
  function batchOfChanges<T extends Conditions & { readonly petId: bigint }>(
    mode: Mode,
    numberOf: (change: T) => number,
  ) {
    return async (changes: readonly T[], request: ChangeRequest = {}, context?: CallContext) => {
      const args = changes.flatMap((change) => [
        String(change.petId),
        numberOf(change),
        ...conditionArguments(change),
      ]);
      const reply = await changeQuantities(request, [mode, ...args], context);
      return outcomeOf(reply, (outcome): AllChanged | BatchRefused => {
        if (outcome.startsWith("refused ")) return batchRefusal(outcome);
        // Most values are in the request, so that little is stored for repetitions.
        const [, first = "", statuses = "", after] = outcome.split(" ");
        const quantities = after?.split(",").map(Number) ?? changes.map(numberOf);
        const items = changes.map(({ petId }, at) => ({
          petId,
          quantity: quantities[at] as number,
          status: Number(statuses[at]) as PetStatus,
          version: BigInt(first) + BigInt(at),
        }));
        return { kind: "changed", items };
      });
    };
  }

  return {
    ...history,
    page,
    ...list,

    // Outside the batch, because a damaged item must not fail the reads of others.
    get: async (petId, context) =>
      optionalItem(petId, await get({ petId, record: context?.record })),

    setQuantity: oneChange("set"),

    adjust: oneChange("add"),

    setQuantities: batchOfChanges("set", ({ quantity }: QuantityUpdate) => quantity),

    adjustQuantities: batchOfChanges("add", ({ delta }: QuantityDelta) => delta),

    async setStatus(petId, status, origin, context) {
      return optionalItem(petId, await setStatus({ origin }, [String(petId), status], context));
    },

    async create({ petId, quantity, status }, origin, context) {
      const reply = await createItem({ origin }, [String(petId), quantity, status], context);
      return optionalItem(petId, reply)?.version;
    },

    async put(items, origin, idempotency, context) {
      const args = items.flatMap(({ petId, quantity, status }) => [
        String(petId),
        quantity,
        status,
      ]);
      return outcomeOf(await putItems({ origin, idempotency }, args, context), (outcome) => {
        if (outcome.startsWith("too_large ")) return putTooLarge(outcome);
        const created = Number(outcome);
        return { created, updated: items.length - created };
      });
    },

    async remove(petId, origin, context) {
      const reply = await removeItem({ origin }, [String(petId)], context);
      return reply === "held" ? reply : optionalItem(petId, reply);
    },
  };
}

/** Parses `too_large`, and then ` <index> <held units>` for each item. */
function putTooLarge(outcome: string): PutTooLarge {
  const [, ...numbers] = outcome.split(" ");
  const items = pairsOf(numbers).map(([index, held]) => ({
    index: Number(index),
    held: Number(held),
  }));
  return { kind: "too_large", items };
}

/** Parses `changed <item>` or a refusal. */
function changeOf(petId: bigint, outcome: string) {
  const prefix = "changed ";
  if (!outcome.startsWith(prefix)) return refusalOf(outcome);
  return { kind: "changed", item: versionedItem(petId, outcome.slice(prefix.length)) } as const;
}

/** Parses `refused <how many>`, and the refusals on lines of their own. */
export function batchRefusal(outcome: string): BatchRefused {
  const [first = "", ...lines] = outcome.split("\n");
  return {
    kind: "refused",
    refusals: lines.map(indexedRefusal),
    total: Number(first.slice("refused ".length)),
  };
}

/** Parses `<index> <refusal>`. */
function indexedRefusal(line: string) {
  const space = line.indexOf(" ");
  return { index: Number(line.slice(0, space)), refusal: refusalOf(line.slice(space + 1)) };
}

/** Keys of every script that changes the stock, in the order that change.lua expects. */
const changeKeys = [...stockKeys, stockRunKey, holdsKey, holdIndexKey] as const;

/** Settings of the stores of stock and orders. */
export interface StockSettings {
  readonly now: Clock;
  /** Limits of the history; no limits when undefined. */
  readonly history: HistoryLimits | undefined;
  /** Limits of the orders of each account; no limits when undefined. */
  readonly orders: OrderLimits | undefined;
  /** Called when the history is still too long after a change. */
  readonly trimHistory: () => void;
}

/** Settings of a command, which trims no history. */
export const lastingSettings: StockSettings = {
  now: undefined,
  history: undefined,
  orders: undefined,
  trimHistory: () => {},
};

/** The properties of a change, other than its values. */
interface ChangeParts {
  readonly origin?: Origin | undefined;
  readonly idempotency?: Idempotency | undefined;
  /** Redis keys, in addition to those of the stock. */
  readonly keys?: readonly string[];
}

/** Most changes of one script call. It takes Redis less than a millisecond. */
const maxChanges = 50;

/** One change that waits to be made. */
interface Change extends ChangeParts, CallContext {
  readonly values: Values;
}

type Values = readonly (string | number)[];

/** The reply to a change that was not sent. */
const notSent = Symbol("not sent");

/**
 * Makes a function that calls a script which changes the stock, unless the deadline of the call passes before it is
 * sent. It returns the script's reply, and throws ConnectError unavailable or deadline_exceeded. Changes of one event-loop
 * tick share script calls. The script decides on each of them separately.
 *
 * @param most "many" when changes share a call; "alone" when one change has so many values that it needs its own
 * @param name its Lua file, without extension
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
  if (idempotency) {
    keys.push(outcomeKey(accountId, hash("sha256", idempotency.key, "base64url")));
  }
  args.push(keys.length - before, values.length, reason, note, reference, accountId, keyId);
  args.push(requestId, fingerprint);
  append(args, values);
}

/** Returns conditions as arguments of a script (see refusal_of in change.lua). */
function conditionArguments({
  expectedVersions,
  excludedVersions,
  expectedQuantity,
}: Conditions = {}) {
  const expected = expectedVersions && `,${expectedVersions.join(",")},`;
  const excluded = excludedVersions && `!,${excludedVersions.join(",")},`;
  return [expected ?? excluded ?? "", expectedQuantity ?? ""] as const;
}

/** Parses the reply of decide_once. @param read parses an outcome other than `key_reused` */
export function outcomeOf<T>(reply: unknown, read: (outcome: string) => T): Outcome<T> {
  const text = reply as string;
  const value = text.slice(1);
  const outcome: T | KeyReused = value === "key_reused" ? { kind: value } : read(value);
  return { ...outcome, replayed: text.startsWith("1") };
}

/** Parses a refusal: its kind and the values of the item. */
export function refusalOf(text: string): Refusal {
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
    default:
      throw new Error(`unexpected reply of a script: ${text}`);
  }
}
