import { hash } from "node:crypto";
import { luaFiles } from "./lua-parts.ts";

/** The commands that TypeScript and ioredis send to servers, by their names in an ACL. A test compares the source. */
export const sentCommands: readonly string[] = (
  "asking cluster|info cluster|slots del eval evalsha expire get hgetall hincrby hlen hmget hscan hset " +
  "info ping pttl quit role scan select set time type unlink wait xadd xgroup xlen xrange xread " +
  "xrevrange xtrim zadd zcard zlexcount zmscore zrange zrangebylex zrem zrevrangebylex zscan zscore"
).split(" ");

/** Matches the names of commands in a script. Some functions take them as their first argument. */
const luaCommand = /\b(?:redis\.p?call|read_entries)\(\s*'([A-Z]+)'/g;

/** Returns the commands that scripts call, by their names in an ACL. Each name is there once. @param lua their source */
export function commandsIn(lua: string): string[] {
  const names = [...lua.matchAll(luaCommand)].map(([, command = ""]) => command.toLowerCase());
  return [...new Set(names)];
}

/** The commands that the scripts of this version call. */
export const scriptCommands: readonly string[] = commandsIn([...luaFiles.values()].join("\n"));

/**
 * Returns a line for the ACL file of Redis: a user that may use exactly the commands and keys of this version; without a
 * password, one that cannot log in yet. See https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/
 */
export function aclLine(user: string, password: string | undefined): string {
  const commands = [...new Set([...sentCommands, ...scriptCommands])].sort();
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
