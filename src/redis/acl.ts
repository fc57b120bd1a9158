import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/**
 * The commands that TypeScript sends to servers of Redis, by their names in an ACL. Sentinels have users of their own.
 * A test compares this list with the source.
 */
export const sentCommands = [
  "asking",
  "cluster|info",
  "cluster|slots",
  "del",
  "eval",
  "evalsha",
  "exists",
  "get",
  "hgetall",
  "hkeys",
  "hmget",
  "hset",
  // Sent by ioredis after it has connected.
  "info",
  "ping",
  "quit",
  "role",
  "scan",
  "select",
  "set",
  "time",
  "unlink",
  "wait",
  "xlen",
  "xread",
  "zadd",
  "zcard",
  "zrange",
  "zrangebylex",
  "zrem",
  "zrevrangebylex",
] as const;

/** Matches the names of commands in a script. Some functions take them as their first argument. */
const luaCommand = /\b(?:redis\.call|read_entries)\('([A-Z]+)'/g;

/**
 * Returns a line for the ACL file of Redis: a user that may use exactly the commands and keys of this version. See
 * https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/
 *
 * @param password undefined for a user that cannot log in until it has a password
 */
export function aclLine(user: string, password: string | undefined): string {
  const scripts = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".lua"));
  const inScripts = scripts.flatMap((name) => {
    const lua = readFileSync(`${import.meta.dirname}/${name}`, "utf8");
    return [...lua.matchAll(luaCommand)].map(([, command = ""]) => command.toLowerCase());
  });
  const commands = [...new Set([...sentCommands, ...inScripts])].sort();
  const rules = [
    "on",
    password === undefined ? "resetpass" : `#${hash("sha256", password)}`,
    "resetkeys",
    "~inv:*",
    "resetchannels",
    "-@all",
    ...commands.map((command) => `+${command}`),
  ];
  return `user ${user} ${rules.join(" ")}`;
}
