import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { maxKeysPerAccount } from "../access/account-store.ts";
import { keyHashLength } from "../access/api-key.ts";
import { banForgivenessMs, banLadderMs, minRefusalsBeforeBan } from "../access/bans.ts";
import { planLimits } from "../access/plans.ts";
import { dayWindow, minuteWindow, refusalWindow, type WindowSpec } from "../access/windows.ts";
import { maxQuantity, mostRefusalsReported } from "../inventory/inventory-store.ts";
import {
  answerKeptMs,
  changesInEntry,
  historySlack,
  mostTrimmedAtOnce,
} from "../inventory/stock-change.ts";
import type { Connection } from "./connection.ts";
import { verdicts } from "./decision.ts";

/**
 * Runs a script.
 *
 * @param keys every key that the script touches
 * @returns its reply
 * @throws ConnectError unavailable
 */
export type Script<Reply = unknown> = (
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<Reply>;

/**
 * Makes a script callable. It is sent by its hash, and whole when the server does not know it.
 *
 * @param files names of the Lua files that make it up, without ending: libraries first, the script
 * itself last
 */
export function loadScript(connection: Connection, ...files: readonly string[]): Script {
  const { redis } = connection;
  return loadLua(connection, files, (command, ...args) => redis.call(command, ...args));
}

/** The same for a script whose reply is binary. */
export function loadBinaryScript<Reply = Buffer>(
  connection: Connection,
  ...files: readonly string[]
): Script<Reply> {
  const { redis } = connection;
  return loadLua(
    connection,
    files,
    (command, ...args) => redis.callBuffer(command, ...args) as Promise<Reply>,
  );
}

/** A reply, or a part of one, as the same script gives it when its reply is not binary. */
export function textOf(reply: unknown): unknown {
  if (Buffer.isBuffer(reply)) return reply.toString();
  return Array.isArray(reply) ? reply.map(textOf) : reply;
}

function loadLua<Reply>(
  { guard }: Connection,
  files: readonly string[],
  call: (command: string, ...args: (string | number)[]) => Promise<Reply>,
): Script<Reply> {
  const rules = files.map(readLua).join("\n");
  const lua = declarations(rules) + rules;
  const sha1 = hash("sha1", lua);
  return (keys, args) =>
    guard(call("EVALSHA", sha1, keys.length, ...keys, ...args), (error) =>
      // A script that is not known was not run.
      error instanceof Error && error.message.startsWith("NOSCRIPT")
        ? call("EVAL", lua, keys.length, ...keys, ...args)
        : undefined,
    );
}

function readLua(name: string): string {
  return readFileSync(new URL(`${name}.lua`, import.meta.url), "utf8");
}

function luaWindows(...specs: readonly WindowSpec[]): string {
  const entries = specs.map((spec) => `{buckets=${spec.buckets},width=${spec.bucketMs}}`);
  return `{${entries.join(",")}}`;
}

/** Rules that TypeScript states, in Lua's words: no number is written twice. */
const constants: Readonly<Record<string, string | number>> = {
  QUOTA_WINDOWS: luaWindows(minuteWindow, dayWindow),
  REFUSAL_WINDOWS: luaWindows(refusalWindow),
  PLAN_LIMITS: `{${Object.entries(planLimits)
    .map(([plan, { perMinute, perDay }]) => `${plan}={${perMinute},${perDay}}`)
    .join(",")}}`,
  ...Object.fromEntries(verdicts.map((verdict, number) => [verdict.toUpperCase(), number])),
  BAN_LADDER: `{${banLadderMs.join(",")}}`,
  BAN_FORGIVENESS: banForgivenessMs,
  MIN_REFUSALS_BEFORE_BAN: minRefusalsBeforeBan,
  KEY_HASH_LENGTH: keyHashLength,
  MAX_KEYS: maxKeysPerAccount,
  MAX_QUANTITY: maxQuantity,
  ANSWER_KEPT: answerKeptMs,
  HISTORY_SLACK: historySlack,
  MOST_TRIMMED: mostTrimmedAtOnce,
  CHANGES_IN_ENTRY: changesInEntry,
  MOST_REFUSALS: mostRefusalsReported,
  ORDER_PLACED: `'${OrderStatus.PLACED}'`,
  ORDER_DELIVERED: `'${OrderStatus.DELIVERED}'`,
  ORDER_CANCELLED: `'${OrderStatus.CANCELLED}'`,
};

/** Declares the constants that a script names: each costs time whenever it runs. */
function declarations(lua: string): string {
  return Object.entries(constants)
    .filter(([name]) => new RegExp(`\\b${name}\\b`).test(lua))
    .map(([name, value]) => `local ${name} = ${value}\n`)
    .join("");
}
