import { hash } from "node:crypto";
import { checkDeadline, memoize } from "connect-gateway/call";
import type { Redis } from "ioredis";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { HoldState, OrderStatus } from "../../../gen/store/v1/store_pb.ts";
import { keyHashLength, keyIdLength } from "../../access/api-key.ts";
import { banForgivenessMs, banLadderMs, minRefusalsBeforeBan } from "../../access/bans.ts";
import { planLimits } from "../../access/plans.ts";
import { restrictedBit } from "../../access/scopes.ts";
import { dayWindow, minuteWindow, refusalWindow, type WindowSpec } from "../../access/windows.ts";
import { present } from "../../common/present.ts";
import { maxKeysPerAccount, rememberedDeletionMs } from "../account-store.ts";
import { mostEntriesTrimmed } from "../audit-store.ts";
import { endedHoldTtlMs, maxHolds, mostHoldWork } from "../hold-store.ts";
import { maxQuantity, mostRefusalsReported } from "../inventory-store.ts";
import { deletedAccountTtlMs, orderRemovalPauseMs } from "../order-store.ts";
import { changesInEntry, historySlack, mostTrimmedAtOnce, outcomeTtlMs } from "../stock-change.ts";
import { maxKeysPerDay, storedDays, storedHours } from "../usage-store.ts";
import { commandsIn } from "./acl.ts";
import type { Connection } from "./connection/connection.ts";
import { sendCommand } from "./connection/lean-command.ts";
import type { Calls } from "./connection/operation.ts";
import type { Send } from "./connection/send.ts";
import { trimPoint } from "./keys.ts";
import { linkScript, luaFiles, luaParts } from "./lua-parts.ts";
import { verdicts } from "./verdicts.ts";

/** The clock of a test, in milliseconds since the epoch; undefined for the clock of Redis. */
export type Clock = (() => number) | undefined;

/** Runs a script with all keys that it uses. @param calls those that wait for the reply @throws ConnectError unavailable */
export type Script<Reply = unknown> = (
  keys: readonly string[],
  args: readonly (string | number)[],
  ...calls: Calls
) => Promise<Reply>;

type ScriptArguments = readonly [keys: readonly string[], args: readonly (string | number)[]];

/**
 * Runs a script whose arguments depend on when it is sent.
 *
 * @param key one of its keys
 * @param argumentsNow is called with the connection each time before the script is sent, more than once when a server does
 * not know the script, or no longer has its keys. If it throws, the script is not sent
 * @throws ConnectError unavailable, or the error of `argumentsNow`
 */
type LateScript<Reply> = (
  key: string,
  argumentsNow: (redis: Redis) => ScriptArguments,
  calls: Calls,
) => Promise<Reply>;

/**
 * Makes a function that calls a script by its hash, or sends all of it when the server does not know the hash.
 *
 * @param name of its Lua function, with `-` for `_`
 * @throws Error when there is no such script
 */
export function loadScript({ run }: Connection, name: string): Script {
  return atOnce(loadLua(run, name, "utf8"));
}

/** The same for a script whose reply is binary. */
export function loadBinaryScript({ run }: Connection, name: string): Script<Buffer> {
  return atOnce(loadLua<Buffer>(run, name, null));
}

/** The same for an acknowledged change of one call. After its deadline, throws ConnectError deadline_exceeded instead. */
export function loadWriteScript(connection: Connection, name: string): Script {
  const script = loadLateScript(connection, name);
  return (keys, args, call) => {
    const argumentsNow = () => {
      checkDeadline(call?.deadline);
      return [keys, args] as const;
    };
    return script(present(keys[0], "the first key of a script"), argumentsNow, [call]);
  };
}

/** The same for arguments that depend on when it is sent. @param kind `record` if it only records the calls */
export function loadLateScript(
  { change }: Connection,
  name: string,
  kind: "change" | "record" = "change",
): LateScript<unknown> {
  return loadLua(change, name, "utf8", kind);
}

function atOnce<Reply>(script: LateScript<Reply>): Script<Reply> {
  return (keys, args, ...calls) =>
    script(present(keys[0], "the first key of a script"), () => [keys, args], calls);
}

/** @param encoding of text in the reply; null for buffers */
function loadLua<Reply>(
  run: Connection["run"],
  name: string,
  encoding: "utf8" | null,
  kind: "change" | "record" = "change",
): LateScript<Reply> {
  const { lua, sha1 } = compose(name);
  const operation = { command: "EVALSHA", script: name, isRecord: kind === "record" };
  return (key, argumentsNow, calls) => {
    const send: Send<Reply> = async (redis, notRun) => {
      const isKnown = !notRun?.message.startsWith("NOSCRIPT");
      const [keys, args] = argumentsNow(redis);
      const [command, script] = isKnown ? ["EVALSHA", sha1] : ["EVAL", lua];
      const all = [script, keys.length, ...keys, ...args];
      return sendCommand(redis, command, all, encoding) as Promise<Reply>;
    };
    return run(key, send, operation, calls);
  };
}

const compose = memoize((name: string) => {
  const own = name.replaceAll("-", "_");
  const rules = linkScript(parts, own);
  const lua = headers[classOf(own)] + guard(rules) + declarations(rules) + rules;
  return { lua, sha1: hash("sha1", lua) };
}, Number.POSITIVE_INFINITY);

/**
 * What a script does when the memory of Redis is full, by the class that its comment declares. See
 * https://redis.io/docs/latest/develop/programmability/lua-api/#script_flags
 *
 * `reads`: it changes nothing, and goes on. `frees`: it goes on, because it frees memory, or adds a bounded amount.
 * `stores`: Redis refuses its first command that needs memory, before it has changed anything, but not a stored outcome.
 */
const headers = {
  reads: "#!lua flags=no-writes\n",
  frees: "#!lua flags=allow-oom\n",
  stores: "",
} as const;

function classOf(name: string): keyof typeof headers {
  const declared = parts.get(name)?.class;
  if (declared === undefined || !(declared in headers)) {
    throw new Error(`${name} needs a line "-- class: ${Object.keys(headers).join("|")}"`);
  }
  return declared as keyof typeof headers;
}

/** Returns the sources of all scripts, by the names of their Lua functions. */
export function scriptSources(): ReadonlyMap<string, string> {
  const scripts = [...parts].filter(([, part]) => part.class !== undefined);
  return new Map(scripts.map(([name]) => [name, compose(name).lua]));
}

/** Commands of scripts that change nothing. A test compares them with what Redis says. */
export const readCommands: readonly string[] = (
  "exists get getrange hexists hget hgetall hlen hmget time xinfo xrange xrevrange " +
  "zcard zcount zlexcount zrange zrangebylex zrevrangebylex"
).split(" ");

/** Commands that Redis knows only with a subcommand, each with the one that scripts call. */
const withSubcommand: Readonly<Record<string, string>> = { xinfo: "xinfo','stream" };

/**
 * Returns Lua that ends a script before its first change if its user may not use one of its commands, because Redis does not
 * undo what a script has written. Redis itself checks the keys before the script. It takes Redis two microseconds.
 */
function guard(lua: string): string {
  // A script goes on without what it calls by pcall.
  const names = commandsIn(lua.replaceAll(".pcall(", ""));
  if (names.every((name) => readCommands.includes(name))) return "";
  // Redis 7.0 crashes if a command has too few arguments. The longest that it needs here is `SET key value`.
  const allowed = names.map((name) => `may('${withSubcommand[name] ?? name}',first_key,first_key)`);
  return `local may, first_key = redis.acl_check_cmd, KEYS[1]
if may and not (${allowed.join(" and ")}) then
  return redis.error_reply('NOPERM the user lacks one of +${names.join(" +")}')
end
`;
}

function luaWindows(...specs: readonly WindowSpec[]): string {
  const entries = specs.map((spec) => `{buckets=${spec.buckets},width=${spec.bucketMs}}`);
  return `{${entries.join(",")}}`;
}

/** Constants of the rules in TypeScript, for Lua, so that no number is defined twice. */
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
  KEY_ID_LENGTH: keyIdLength,
  RESTRICTED: restrictedBit,
  MAX_KEYS: maxKeysPerAccount,
  MAX_USAGE_FIELDS: 3 * maxKeysPerDay,
  STORED_DAYS: storedDays,
  STORED_HOURS: storedHours,
  MAX_QUANTITY: maxQuantity,
  OUTCOME_TTL: outcomeTtlMs,
  HISTORY_SLACK: historySlack,
  MOST_TRIMMED: mostTrimmedAtOnce,
  CHANGES_IN_ENTRY: changesInEntry,
  TRIM_POINT: `'${trimPoint}'`,
  MOST_TRIMMED_ENTRIES: mostEntriesTrimmed,
  MOST_REFUSALS: mostRefusalsReported,
  DELETED_ACCOUNT_TTL: deletedAccountTtlMs,
  REMEMBERED_DELETION: rememberedDeletionMs,
  ORDER_PLACED: `'${OrderStatus.PLACED}'`,
  ORDER_DELIVERED: `'${OrderStatus.DELIVERED}'`,
  ORDER_CANCELLED: `'${OrderStatus.CANCELLED}'`,
  ORDER_REMOVAL_PAUSE: orderRemovalPauseMs,
  HOLD_ACTIVE: `'${HoldState.ACTIVE}'`,
  HOLD_CONFIRMED: `'${HoldState.CONFIRMED}'`,
  HOLD_RELEASED: `'${HoldState.RELEASED}'`,
  HOLD_EXPIRED: `'${HoldState.EXPIRED}'`,
  REASON_HOLD: `'${ChangeReason.HOLD}'`,
  REASON_HOLD_ENDED: `'${ChangeReason.HOLD_ENDED}'`,
  MAX_HOLDS: maxHolds,
  ENDED_HOLD_TTL: endedHoldTtlMs,
  MOST_HOLD_WORK: mostHoldWork,
};

const parts = luaParts([...luaFiles.values()]);

/** Declares only the constants that a script uses, because each takes time in every run. */
function declarations(lua: string): string {
  return Object.entries(constants)
    .filter(([name]) => new RegExp(`\\b${name}\\b`).test(lua))
    .map(([name, value]) => `local ${name} = ${value}\n`)
    .join("");
}
