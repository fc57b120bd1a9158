import { resolve } from "node:path";
import { CommandError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { jsonArray, printResult } from "../output/output.ts";
import { details, table } from "../output/table.ts";
import { print } from "../output/terminal.ts";
import { type Contexts, changeContexts, contextsPath, readContexts } from "./contexts.ts";
import { readSecret } from "./secret-prompt.ts";
import { withServer } from "./server-session.ts";
import { apiKeyIn, caFileOf, notAnApiKey, parseServer } from "./server-target.ts";
import { required } from "./session.ts";

/** Reads an API key, checks it with a call, and saves it with its server. @throws CommandError */
export async function login(
  environment: Environment,
  address: string,
  options: { readonly name?: string; readonly caFile?: string },
): Promise<void> {
  const url = parseServer("<url>", address);
  const name = options.name ?? url.host;
  if (!/^[\w.:[\]-]{1,100}$/.test(name)) {
    throw usageError(
      "--name: must have 1 to 100 letters, digits, dots, colons, hyphens and underscores",
    );
  }
  warnOfPlainText(environment, url);
  const apiKey = await readKey(environment, url);
  const caPath = options.caFile ?? caFileOf(environment);
  const caFile = caPath && resolve(caPath);
  const target = { url, apiKey, source: "<url>", caFile };
  const { usage, keyId, scopes } = await withServer(environment, target, {}, (session) =>
    session.usage.getUsage({}),
  );
  await changeContexts(environment, ({ byName }) => ({
    current: name,
    byName: new Map(byName).set(name, { server: url.href, apiKey, caFile }),
  }));
  const { accountId, name: accountName } = required(usage);
  const server = url.href;
  await printResult(environment, {
    json: () => JSON.stringify({ context: name, server, accountId, keyId, scopes }),
    text: () =>
      details({
        context: name,
        server,
        account: `${accountId} ${accountName}`.trim(),
        key: keyId,
        scopes: scopes.join(","),
      }),
  });
}

async function readKey(environment: Environment, { host }: URL): Promise<string> {
  const text = await readSecret(environment, `API key for ${host}: `);
  const apiKey = apiKeyIn(text);
  if (apiKey !== undefined) return apiKey;
  throw new CommandError(
    "unauthenticated",
    text === ""
      ? "there is no API key on standard input: run the command on a terminal, or redirect a file with the key"
      : notAnApiKey,
  );
}

function warnOfPlainText({ stderr, jsonErrors }: Environment, { protocol, hostname }: URL): void {
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === "https:" || isLocal || jsonErrors) return;
  print(
    stderr,
    "warning: the URL begins with http:, so the network can read the API key. Use https:\n",
  );
}

/** Deletes a saved server and its key. @param name the current one if absent @throws CommandError */
export async function logout(environment: Environment, name: string | undefined): Promise<void> {
  const chosen = name ?? (await currentContext(environment));
  await changeContexts(environment, (contexts) => {
    requireContext(contexts, chosen);
    const byName = new Map(contexts.byName);
    byName.delete(chosen);
    return { current: contexts.current === chosen ? undefined : contexts.current, byName };
  });
  await printResult(environment, {
    json: () => JSON.stringify({ context: chosen }),
    text: () =>
      `deleted the context ${chosen} and its API key from this machine. The key remains valid: \`inventory keys revoke\` revokes it`,
  });
}

/** Prints the saved servers, without their keys. @throws CommandError */
export async function listContexts(
  environment: Environment,
  { limit }: { readonly limit?: number },
): Promise<void> {
  const { current, byName } = await readContexts(environment);
  const rows = [...byName].slice(0, limit).map(([name, { server }]) => ({
    name,
    server,
    isCurrent: name === current,
  }));
  await printResult(environment, {
    json: () => jsonArray(rows.map((row) => JSON.stringify(row))),
    text: () =>
      table(
        ["CURRENT", "NAME", "SERVER"],
        rows.map(({ name, server, isCurrent }) => [isCurrent ? "*" : "", name, server]),
      ),
  });
}

/** Makes a saved server the current one. @throws CommandError */
export async function selectContext(environment: Environment, name: string): Promise<void> {
  await changeContexts(environment, (contexts) => {
    requireContext(contexts, name);
    return { ...contexts, current: name };
  });
  await printResult(environment, {
    json: () => JSON.stringify({ context: name }),
    text: () => `the current context is ${name} (${contextsPath(environment.env)})`,
  });
}

async function currentContext(environment: Environment): Promise<string> {
  const contexts = await readContexts(environment);
  if (contexts.current !== undefined) return contexts.current;
  throw missing("there is no current context", contexts);
}

function requireContext(contexts: Contexts, name: string): void {
  if (!contexts.byName.has(name)) throw missing(`there is no context ${name}`, contexts);
}

function missing(what: string, { byName }: Contexts): CommandError {
  const names = [...byName.keys()];
  const hint = names.length > 0 ? `The contexts are ${names.join(", ")}` : "Run `inventory login`";
  return new CommandError("not_found", `${what}. ${hint}`);
}
