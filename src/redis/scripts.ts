import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { maxKeysPerAccount } from "../access/account-store.ts";
import { keyHashLength } from "../access/api-key.ts";
import { banForgivenessMs, banLadderMs, minRefusalsBeforeBan } from "../access/bans.ts";
import { planLimits } from "../access/plans.ts";
import { dayWindow, minuteWindow, refusalWindow, type WindowSpec } from "../access/windows.ts";
import { callDeadline, checkDeadline } from "../call/deadline.ts";
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

/** What a script call is sent with: its keys and its other arguments. */
type ScriptArguments = Readonly<Parameters<Script>>;

/**
 * Runs a script whose arguments depend on when it is sent.
 *
 * @param argumentsNow is called each time before the script is sent, which can be twice: the second time when the
 * server did not know it. If it throws, the script is not sent
 * @returns the script's reply
 * @throws ConnectError unavailable, or as `argumentsNow` throws it
 */
type LateScript<Reply> = (argumentsNow: () => ScriptArguments) => Promise<Reply>;

/**
 * Makes a script callable. It is sent by its hash, and whole when the server does not know it.
 *
 * @param files names of the Lua files that make it up, without ending: libraries first, the script
 * itself last
 */
export function loadScript(connection: Connection, ...files: readonly string[]): Script {
  const script = loadLateScript(connection, ...files);
  return (keys, args) => script(() => [keys, args]);
}

/** The same for a script whose reply is binary. */
export function loadBinaryScript<Reply = Buffer>(
  connection: Connection,
  ...files: readonly string[]
): Script<Reply> {
  const { redis } = connection;
  const call = (command: string, ...args: (string | number)[]) =>
    redis.callBuffer(command, ...args) as Promise<Reply>;
  const script = loadLua(connection, files, call);
  return (keys, args) => script(() => [keys, args]);
}

/**
 * The same for a script that changes something. It is not sent after the deadline of the call.
 *
 * @returns the script; it also throws ConnectError deadline_exceeded
 */
export function loadWriteScript(connection: Connection, ...files: readonly string[]): Script {
  const script = loadLateScript(connection, ...files);
  return (keys, args) => {
    const deadline = callDeadline();
    return script(() => {
      checkDeadline(deadline);
      return [keys, args];
    });
  };
}

/** The same for a script whose arguments depend on when it is sent. */
export function loadLateScript(
  connection: Connection,
  ...files: readonly string[]
): LateScript<unknown> {
  const { redis } = connection;
  return loadLua(connection, files, (command, ...args) => redis.call(command, ...args));
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
): LateScript<Reply> {
  const rules = files.map(readLua).join("\n");
  const lua = declarations(rules) + rules;
  const sha1 = hash("sha1", lua);
  return async (argumentsNow) => {
    const send = async (command: string, script: string) => {
      const [keys, args] = argumentsNow();
      return call(command, script, keys.length, ...keys, ...args);
    };
    return guard(send("EVALSHA", sha1), (error) =>
      // A script that is not known was not run.
      error instanceof Error && error.message.startsWith("NOSCRIPT")
        ? send("EVAL", lua)
        : undefined,
    );
  };
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
