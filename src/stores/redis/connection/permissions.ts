import type { Redis } from "ioredis";
import { scriptCommands, sentCommands } from "../acl.ts";
import { keySamples } from "../keys.ts";
import type { RedisSettings } from "./settings.ts";

/** Commands that a user may lack. Replicas refuse changes, and connections end, without them. Only ioredis sends PING. */
const optional: readonly string[] = ["ping", "quit", "role"];

/** Commands that only some settings need. */
const conditional: Readonly<Record<string, (settings: RedisSettings) => boolean>> = {
  asking: ({ mode }) => mode === "cluster",
  "cluster|info": ({ mode }) => mode === "cluster",
  "cluster|slots": ({ mode }) => mode === "cluster",
  select: ({ database }) => database !== 0,
  wait: ({ ackReplicas }) => ackReplicas > 0,
};

/**
 * Returns the rules that its user lacks: `+` and a command, `~` and a key that the user may not read and write; and `?` and
 * each command that the server does not know, because it is too old or `rename-command` has removed it. It runs no command,
 * so nothing changes, and ACL LOG has no entry. Redis before 7.0 has no `acl_check_cmd`, and Redis 7.0 crashes if it has
 * fewer arguments than the command needs, so there are more than enough.
 *
 * ARGV  how many commands; the commands, each with a subcommand after `|`; keys
 */
const missingRules = `local may, missing, key = redis.acl_check_cmd, {}, ''
if not may then return missing end
for i = ARGV[1] + 2, #ARGV do
  if may('EVAL', '', '1', ARGV[i]) then key = ARGV[i] else missing[#missing + 1] = '~' .. ARGV[i] end
end
if key == '' and #missing > 0 then return missing end
for i = 2, ARGV[1] + 1 do
  local name, sub = string.match(ARGV[i], '^([^|]+)|?(.*)$')
  local known, allowed
  if string.find(name, '^eval') then
    known, allowed = pcall(may, name, '', '0')
  elseif sub ~= '' then
    known, allowed = pcall(may, name, sub, key, key, key)
  else
    known, allowed = pcall(may, name, key, key, key, key)
    -- A command with subcommands has no arguments of its own.
    if not known then known, allowed = pcall(may, name) end
  end
  if not known then missing[#missing + 1] = '?' .. ARGV[i]
  elseif not allowed then missing[#missing + 1] = '+' .. ARGV[i] end
end
return missing`;

/** Returns the commands that the service needs with these settings, by their names in an ACL. */
export function neededCommands(settings: RedisSettings): string[] {
  const all = [...new Set([...sentCommands, ...scriptCommands])];
  return all.filter((name) => !optional.includes(name) && (conditional[name]?.(settings) ?? true));
}

/** Returns the given rules of an ACL that the user of a connection lacks, and unknown commands with a `?`. @throws Error when Redis refuses the question */
export async function missingOf(
  redis: Redis,
  commands: readonly string[],
  keys: readonly string[],
): Promise<readonly string[]> {
  const reply = await redis.eval(missingRules, 0, commands.length, ...commands, ...keys);
  return reply as string[];
}

/**
 * Makes a function that checks whether the user of a connection may do everything that the service does. Redis does not undo
 * what a script has written before a command that it refuses.
 *
 * @returns an error that begins with NOPERM and names the rules that the user lacks, one that names an unknown command, or
 * that of a server that is loading its data; undefined when nothing is missing, or the server cannot say
 */
export function createPermissionCheck(
  settings: RedisSettings,
): (redis: Redis) => Promise<Error | undefined> {
  const commands = neededCommands(settings);
  return async (redis) => {
    try {
      const missing = await missingOf(redis, commands, keySamples);
      if (missing.length === 0) return undefined;
      const unknown = missing.find((rule) => rule.startsWith("?"));
      if (unknown !== undefined) return new Error(`ERR unknown command '${unknown.slice(1)}'`);
      const hasNoKey = keySamples.every((key) => missing.includes(`~${key}`));
      return new Error(`NOPERM the user lacks ${hasNoKey ? "~inv:*" : missing.join(" ")}`);
    } catch (error) {
      // A server that is busy refuses every command. Those that follow show that.
      return isFault(error) ? error : undefined;
    }
  };
}

/** Whether Redis has refused a command because its user may not use it, or one of its keys. */
export function isPermissionError(error: unknown): boolean {
  return (
    error instanceof Error && /^NOPERM|The user executing the script can't/.test(error.message)
  );
}

/** Whether the server cannot be used until an operator mends it, or until it has loaded its data. */
function isFault(error: unknown): error is Error {
  return (
    isPermissionError(error) ||
    (error instanceof Error && /^(?:ERR unknown command|LOADING )/.test(error.message))
  );
}
