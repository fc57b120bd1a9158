import { hash } from "node:crypto";
import { callDeadline, type Deadline, deadlineExceeded, hasPassed } from "../call/deadline.ts";
import {
  type Conditions,
  type HistoryLimits,
  type Idempotency,
  type KeyReused,
  type Origin,
  type Outcome,
  type Refusal,
  unknownOrigin,
} from "../inventory/stock-change.ts";
import type { Connection } from "./connection.ts";
import { answerKey, itemsKey, newestChangeKey, petIdsKey, stockChangesKey } from "./keys.ts";
import { loadLateScript } from "./scripts.ts";
import { batchByTurn } from "./turn-batch.ts";

/** Keys of every script on the stock, in the order that stock.lua expects. */
export const stockKeys = [itemsKey, petIdsKey, newestChangeKey, stockChangesKey] as const;

/** What the adapters of the stock are made of. */
export interface StockSettings {
  /** The clock in milliseconds since the epoch; the server's own when absent. */
  readonly now: (() => number) | undefined;
  /** How much history is kept; all of it when undefined. */
  readonly history: HistoryLimits | undefined;
  /** Called when the history is still too long after a change. */
  readonly trimHistory: () => void;
}

/** What a change of the stock has besides its values. */
interface ChangeParts {
  readonly origin?: Origin | undefined;
  readonly idempotency?: Idempotency | undefined;
  /** Keys besides those of the stock. */
  readonly keys?: readonly string[];
}

/**
 * Makes a change, unless the deadline of the call passes before it is sent.
 *
 * @returns what the script answers to it
 * @throws ConnectError unavailable, deadline_exceeded
 */
export type ChangeScript = (
  parts: ChangeParts,
  values: readonly (string | number)[],
) => Promise<unknown>;

/** Changes that one script call makes at most: less than a millisecond of Redis. */
const maxChanges = 50;

/** One change that waits to be made. */
interface Change extends ChangeParts {
  readonly values: readonly (string | number)[];
  readonly deadline: Deadline;
}

/** Stands for the answer to a change that was not sent. */
const notSent = Symbol("not sent");

/**
 * Makes a script that changes the stock callable. Changes of one turn of the event loop go to Redis
 * together, each decided for itself.
 *
 * @param most whether a change is one of many in a call, or has so many values that it goes alone
 * @param files what the script is made of besides the libraries of every change; the script itself last
 */
export function loadChangeScript(
  connection: Connection,
  { now, history, trimHistory }: StockSettings,
  most: "many" | "alone",
  ...files: readonly string[]
): ChangeScript {
  const script = loadLateScript(connection, "clock", "stock", "change", "answer", ...files);
  const limits = history ? [history.length, history.ageMs] : ["", ""];
  const run = batchByTurn(
    async (changes: readonly Change[]) => {
      let sent = changes;
      const answers = (await script(() => {
        sent = inTime(changes);
        const keys: string[] = [...stockKeys];
        const args: (string | number)[] = [now?.() ?? "", ...limits];
        for (const each of sent) appendChange(keys, args, each);
        return [keys, args];
      })) as readonly unknown[];
      if (answers.length > sent.length) trimHistory();
      let next = 0;
      return changes.map((change) => (change === sent[next] ? answers[next++] : notSent));
    },
    most === "many" ? maxChanges : 1,
  );
  return async (parts, values) => {
    const answer = await run({ ...parts, values, deadline: callDeadline() });
    if (answer === notSent) throw deadlineExceeded();
    return answer;
  };
}

/** @throws ConnectError deadline_exceeded when the deadlines of all changes have passed */
function inTime(changes: readonly Change[]): readonly Change[] {
  const some = changes.filter(({ deadline }) => !hasPassed(deadline));
  if (some.length === 0) throw deadlineExceeded();
  return some;
}

/** Appends a change to the keys and arguments of a call (see change.lua). */
function appendChange(keys: string[], args: (string | number)[], change: Change): void {
  const { origin = unknownOrigin, idempotency, keys: own = [], values } = change;
  const { reason, note, reference, accountId, keyId, requestId } = origin;
  const fingerprint = idempotency?.fingerprint ?? "";
  const before = keys.length;
  keys.push(...own);
  if (idempotency) {
    keys.push(answerKey(accountId, hash("sha256", idempotency.key, "base64url")));
  }
  args.push(keys.length - before, values.length, reason, note, reference, accountId, keyId);
  args.push(requestId, fingerprint, ...values);
}

/** Conditions as the scripts take them (see refusal_of in change.lua). */
export function conditionArguments({
  expectedVersions,
  excludedVersions,
  expectedQuantity,
}: Conditions = {}) {
  const expected = expectedVersions && `,${expectedVersions.join(",")},`;
  const excluded = excludedVersions && `!,${excludedVersions.join(",")},`;
  return [expected ?? excluded ?? "", expectedQuantity ?? ""] as const;
}

/**
 * Reads the reply of answer_once.
 *
 * @param read reads the answer, which is not `key_reused`
 */
export function outcomeOf<T>(reply: unknown, read: (answer: string) => T): Outcome<T> {
  const text = reply as string;
  const answer = text.slice(1);
  const outcome: T | KeyReused = answer === "key_reused" ? { kind: answer } : read(answer);
  return { ...outcome, replayed: text.startsWith("1") };
}

/** Reads a refusal of refusal_of, or of a script of its own: its kind and what there is. */
export function refusalOf(answer: string): Refusal {
  const [kind = "", first = "", second] = answer.split(" ");
  switch (kind) {
    case "no_pet":
      return { kind };
    case "version_mismatch":
    case "quantity_mismatch":
      return { kind, version: BigInt(first), quantity: Number(second) };
    case "too_small":
    case "too_large":
      return { kind, quantity: Number(first) };
    default:
      throw new Error(`a script answered ${answer}`);
  }
}
