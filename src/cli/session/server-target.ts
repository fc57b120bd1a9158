import { parseApiKey } from "../../access/api-key.ts";
import { CommandError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { type Context, readContexts } from "./contexts.ts";

/** A server to call. */
export interface ServerTarget {
  readonly url: URL;
  readonly apiKey: string;
  /** The option, variable or context that names the server, for error messages. */
  readonly source: string;
  /** A PEM file with the authorities that may sign its certificate; those that Node trusts if undefined. */
  readonly caFile?: string | undefined;
}

/** Environment variable for the API key. Other users of the machine can read command lines. */
const keyVariable = "INVENTORY_API_KEY";
const serverVariable = "INVENTORY_SERVER";
const caVariable = "INVENTORY_CA_FILE";

/**
 * Returns the server that a command calls: that of --server, else of INVENTORY_SERVER, else, if there is no Redis, of
 * the current context.
 *
 * @param hasRedis whether a Redis is configured
 * @returns undefined if the command uses Redis, or if nothing is configured
 * @throws CommandError if the URL is invalid or there is no key for it
 */
export async function serverTarget(
  environment: Environment,
  hasRedis: () => boolean,
): Promise<ServerTarget | undefined> {
  const { env, server } = environment;
  if (server !== undefined) return namedTarget(environment, "--server", server);
  const fromVariable = env[serverVariable];
  if (fromVariable) return namedTarget(environment, serverVariable, fromVariable);
  if (hasRedis()) return undefined;
  const { current, byName } = await readContexts(environment);
  const context = current === undefined ? undefined : byName.get(current);
  // Not the key in INVENTORY_API_KEY, which may be for another server.
  return (
    context && {
      apiKey: checkedKey(`context ${current}`, context.apiKey),
      url: parseServer(`context ${current}`, context.server),
      source: `context ${current}`,
      caFile: caFileOf(environment, context),
    }
  );
}

/** Parses the base URL of a server. @param source what has the URL @throws CommandError that does not contain it */
export function parseServer(source: string, text: string): URL {
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
  return url;
}

async function namedTarget(
  environment: Environment,
  source: string,
  text: string,
): Promise<ServerTarget> {
  const url = parseServer(source, text);
  const fromVariable = environment.env[keyVariable];
  if (fromVariable) {
    const apiKey = checkedKey(keyVariable, fromVariable);
    return { url, apiKey, source, caFile: caFileOf(environment) };
  }
  const [name, saved] = await savedContext(environment, url);
  if (saved) {
    const apiKey = checkedKey(`context ${name}`, saved.apiKey);
    return { url, apiKey, source, caFile: caFileOf(environment, saved) };
  }
  throw new CommandError(
    "unauthenticated",
    `${keyVariable} is not set: set it to an API key, or run \`inventory login ${url.href}\``,
  );
}

/** Checks a key before it is sent: errors of the HTTP client would print one that no header can have. @throws CommandError */
function checkedKey(source: string, text: string): string {
  const apiKey = apiKeyIn(text);
  if (apiKey !== undefined) return apiKey;
  throw new CommandError("unauthenticated", `${source}: ${notAnApiKey}`);
}

/** Returns the context of the same server, so that no server gets the key of another. */
async function savedContext(environment: Environment, { href }: URL) {
  const { byName } = await readContexts(environment);
  return [...byName].find(([, { server }]) => URL.parse(server)?.href === href) ?? [];
}

/** Returns the file with the authorities of a server: that of INVENTORY_CA_FILE, or of its login. */
export function caFileOf({ env }: Environment, context?: Context): string | undefined {
  return env[caVariable] || context?.caFile;
}

/**
 * Returns the API key in a text that a person has pasted: the key, or the header `Authorization: Bearer …`.
 *
 * @returns undefined if it is not an API key. The text must not be printed, because it can contain one
 */
export function apiKeyIn(text: string): string | undefined {
  const apiKey = text.trim().replace(/^(?:authorization:\s*)?bearer\s+/i, "");
  return parseApiKey(apiKey) && apiKey;
}

/** What to say of a text that is not an API key. */
export const notAnApiKey =
  "that is not an API key, or a character is wrong: a key begins with inv_ and has 49 characters";
