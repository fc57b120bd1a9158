import { parseApiKey } from "../../access/api-key.ts";
import { CommandError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { readText } from "../output/file-format.ts";

export type ServerTarget = NonNullable<Awaited<ReturnType<typeof serverTarget>>>;

/** Environment variables for the API key, because other users of the machine can read command lines. */
const keyVariable = "INVENTORY_API_KEY";
const keyFileVariable = "INVENTORY_API_KEY_FILE";
const serverVariable = "INVENTORY_SERVER";

/** Returns the server of --server, else of INVENTORY_SERVER; undefined for Redis. @throws CommandError for a bad URL or no key */
export async function serverTarget({ env, server }: Environment) {
  const source = server === undefined ? serverVariable : "--server";
  const text = server ?? (env[serverVariable] || undefined);
  if (text === undefined) return undefined;
  return {
    url: parseServer(source, text),
    apiKey: await readKey(env),
    /** The option or variable that names the server, for error messages. */
    source,
    /** A PEM file with the authorities that may sign its certificate; those that Node trusts if undefined. */
    caFile: env.INVENTORY_CA_FILE || undefined,
  };
}

/** Parses the base URL of a server. @param source what has the URL @throws CommandError that does not contain it */
function parseServer(source: string, text: string): URL {
  const url = URL.parse(text);
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.username ||
    url.password ||
    /[?#]/.test(text)
  ) {
    throw usageError(`${source}: must be a URL such as https://inventory.example`);
  }
  if (/^\/v1\/?$/.test(url.pathname)) {
    throw usageError(`${source}: must not end with /v1, the path of the HTTP interface: remove it`);
  }
  return url;
}

/** Reads the API key from the environment, or from the file that the environment names. @throws CommandError */
async function readKey(env: Environment["env"]): Promise<string> {
  const { [keyVariable]: key, [keyFileVariable]: path } = env;
  if (key && path) {
    throw usageError(`${keyVariable} and ${keyFileVariable} are both set: remove one of them`);
  }
  if (key) return checkedKey(keyVariable, key);
  if (path) return checkedKey(path, await readText(path, `${keyFileVariable}: `));
  throw new CommandError(
    "unauthenticated",
    `${keyVariable} is not set: set it to an API key, or set ${keyFileVariable} to the path of a file with the key`,
  );
}

/**
 * Checks a key before it is sent: errors of the HTTP client would print one that no header can have. The text can be the
 * key, or the header `Authorization: Bearer …`.
 *
 * @throws CommandError that does not contain the text, which can contain a key
 */
function checkedKey(source: string, text: string): string {
  const apiKey = text.trim().replace(/^(?:authorization:\s*)?bearer\s+/i, "");
  if (parseApiKey(apiKey)) return apiKey;
  throw new CommandError(
    "unauthenticated",
    `${source}: that is not an API key, or a character is wrong: a key begins with inv_ and has 49 characters`,
  );
}
