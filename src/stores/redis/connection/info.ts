import type { Redis } from "ioredis";

/** The reply of INFO: values by name. */
export type Info = ReadonlyMap<string, string>;

/** Parses the reply of INFO. See https://redis.io/docs/latest/commands/info/ */
export function fieldsOf(info: string): Info {
  const fields = info.matchAll(/^([^:\r\n]+):([^\r\n]*)/gm);
  return new Map(fields.map(([, name = "", value = ""]) => [name, value]));
}

const runIds = new WeakMap<Redis, string>();

/** Reads the run id of the server: random text that it makes when it starts. Call it after each connection. */
export async function readRunId(redis: Redis): Promise<void> {
  // Some services that imitate Redis have no run id. Their versions are safe as long as their clocks agree.
  const info = await redis.info("server").catch(() => "");
  runIds.set(redis, runIdIn(fieldsOf(info)));
}

/** Returns the run id in the reply of INFO: 40 hexadecimal digits; empty if the server does not report it. */
export function runIdIn(info: Info): string {
  const id = info.get("run_id") ?? "";
  return /^[0-9a-f]{40}$/.test(id) ? id : "";
}

/** Returns the run id of the server, like {@link runIdIn}. */
export function runIdOf(redis: Redis): string {
  return runIds.get(redis) ?? "";
}
