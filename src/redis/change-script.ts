import { hash } from "node:crypto";
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
import { answerKey, itemsKey, petIdsKey, stockChangesKey, stockVersionKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";

/** Keys of every script on the stock, in the order that stock.lua expects. */
export const stockKeys = [itemsKey, petIdsKey, stockVersionKey, stockChangesKey] as const;

/** What the adapters of the stock are made of. */
export interface StockSettings {
  /** The clock in milliseconds since the epoch; the server's own when absent. */
  readonly now: (() => number) | undefined;
  /** How much history is kept; all of it when undefined. */
  readonly history: HistoryLimits | undefined;
}

/** What a script on the stock is called with besides its own arguments. */
interface ChangeParts {
  readonly origin?: Origin | undefined;
  readonly idempotency?: Idempotency | undefined;
  /** Keys besides those of the stock. */
  readonly keys?: readonly string[];
}

/** Runs a script that changes the stock. @returns its reply */
export type ChangeScript = (
  parts: ChangeParts,
  args: readonly (string | number)[],
) => Promise<unknown>;

/**
 * Makes a script that changes the stock callable.
 *
 * @param files what it is made of besides the libraries of every change; the script itself last
 */
export function loadChangeScript(
  connection: Connection,
  { now, history }: StockSettings,
  ...files: readonly string[]
): ChangeScript {
  const script = loadScript(connection, "clock", "stock", "change", "answer", ...files);
  const limits = history ? [history.length, history.ageMs] : ["", ""];
  return ({ origin = unknownOrigin, idempotency, keys = [] }, args) => {
    const { reason, note, reference, accountId, keyId, requestId } = origin;
    const answer = idempotency
      ? [answerKey(accountId, hash("sha256", idempotency.key, "base64url"))]
      : [];
    return script(
      [...stockKeys, ...keys, ...answer],
      [
        now?.() ?? "",
        reason,
        note,
        reference,
        accountId,
        keyId,
        requestId,
        ...limits,
        idempotency?.fingerprint ?? "",
        ...args,
      ],
    );
  };
}

/** Conditions as the scripts take them (see refusal_of in change.lua). */
export function conditionArguments({ expectedVersions, expectedQuantity }: Conditions = {}) {
  return [
    expectedVersions === undefined ? "" : `,${expectedVersions.join(",")},`,
    expectedQuantity ?? "",
  ] as const;
}

/**
 * Reads the reply of answer_once.
 *
 * @param read reads the answer, which is not `key_reused`
 */
export function outcomeOf<T>(reply: unknown, read: (answer: string) => T): Outcome<T> {
  const [answer, remembered] = reply as readonly [string, number];
  const outcome: T | KeyReused = answer === "key_reused" ? { kind: answer } : read(answer);
  return { ...outcome, replayed: remembered === 1 };
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
