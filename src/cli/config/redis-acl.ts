import { readFile } from "node:fs/promises";
import { aclLine } from "../../stores/redis/acl.ts";
import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { fileError } from "../output/file-format.ts";
import { printResult } from "../output/output.ts";

/** Options of `redis-acl`. */
interface AclOptions {
  readonly user: string;
  readonly passwordFile?: string;
}

/** Prints a line for the ACL file of Redis. @throws CommandError if the name is invalid or the file cannot be read */
export async function redisAcl(
  environment: Environment,
  { user, passwordFile }: AclOptions,
): Promise<void> {
  if (!/^\S+$/.test(user)) throw usageError("--user: must be a name without white space");
  const line = aclLine(user, passwordFile === undefined ? undefined : await read(passwordFile));
  await printResult(environment, {
    json: () => JSON.stringify({ user, line }),
    text: () => line,
  });
}

/** Reads a password. Like the service, it ignores a line break at the end. */
async function read(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).replace(/\r?\n$/, "");
  } catch (error) {
    throw fileError(path, error);
  }
}
