import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { maxKeysPerAccount } from "../access/account-store.ts";
import { keyHashLength } from "../access/api-key.ts";
import { banForgivenessMs, banLadderMs, minRefusalsBeforeBan } from "../access/bans.ts";
import { planLimits } from "../access/plans.ts";
import { dayWindow, minuteWindow, refusalWindow, type WindowSpec } from "../access/windows.ts";
import { maxQuantity } from "../inventory/inventory-store.ts";
import { answerKeptMs, mostForgottenAtOnce } from "../inventory/stock-change.ts";
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
export function loadScript(
  connection: Connection,
  ...files: readonly [string, ...string[]]
): Script {
  const { redis } = connection;
  return loadLua(connection, files, (command, ...args) => redis.call(command, ...args));
}

/** The same for a script whose reply is binary. */
export function loadBinaryScript(
  connection: Connection,
  ...files: readonly [string, ...string[]]
): Script<Buffer> {
  const { redis } = connection;
  return loadLua(
    connection,
    files,
    (command, ...args) => redis.callBuffer(command, ...args) as Promise<Buffer>,
  );
}

function loadLua<Reply>(
  { guard }: Connection,
  files: readonly string[],
  call: (command: string, ...args: (string | number)[]) => Promise<Reply>,
): Script<Reply> {
  const lua = [constants, ...files.map(readLua)].join("\n");
  const sha1 = hash("sha1", lua);
  return (keys, args) =>
    guard(
      call("EVALSHA", sha1, keys.length, ...keys, ...args).catch((error: unknown) => {
        // A script that is not known was not run.
        if (error instanceof Error && error.message.startsWith("NOSCRIPT")) {
          return call("EVAL", lua, keys.length, ...keys, ...args);
        }
        throw error;
      }),
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
const constants = [
  `local QUOTA_WINDOWS = ${luaWindows(minuteWindow, dayWindow)}`,
  `local REFUSAL_WINDOWS = ${luaWindows(refusalWindow)}`,
  `local PLAN_LIMITS = {${Object.entries(planLimits)
    .map(([plan, { perMinute, perDay }]) => `${plan}={${perMinute},${perDay}}`)
    .join(",")}}`,
  ...verdicts.map((verdict, number) => `local ${verdict.toUpperCase()} = ${number}`),
  `local BAN_LADDER = {${banLadderMs.join(",")}}`,
  `local BAN_FORGIVENESS = ${banForgivenessMs}`,
  `local MIN_REFUSALS_BEFORE_BAN = ${minRefusalsBeforeBan}`,
  `local KEY_HASH_LENGTH = ${keyHashLength}`,
  `local MAX_KEYS = ${maxKeysPerAccount}`,
  `local MAX_QUANTITY = ${maxQuantity}`,
  `local ANSWER_KEPT = ${answerKeptMs}`,
  `local MOST_FORGOTTEN = ${mostForgottenAtOnce}`,
  `local ORDER_PLACED = '${OrderStatus.PLACED}'`,
  `local ORDER_DELIVERED = '${OrderStatus.DELIVERED}'`,
  `local ORDER_CANCELLED = '${OrderStatus.CANCELLED}'`,
].join("\n");
