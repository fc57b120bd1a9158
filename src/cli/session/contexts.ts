import { chmod, mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { lockDirectory } from "../output/directory-lock.ts";
import { fileError, unlessMissing } from "../output/file-format.ts";
import { replaceFile } from "../output/replace-file.ts";

/** A server with an API key, saved by `login`. */
export interface Context {
  /** Base URL. */
  readonly server: string;
  readonly apiKey: string;
  /** Path of a PEM file with the authorities that may sign the certificate of the server. */
  readonly caFile?: string | undefined;
}

/** All saved servers. */
export interface Contexts {
  /** The name of the current one; undefined if there is none. */
  readonly current: string | undefined;
  /** By name. */
  readonly byName: ReadonlyMap<string, Context>;
}

/** Only the owner may read the file, because it has API keys. */
const fileMode = 0o600;
const directoryMode = 0o700;

/** How long a command waits while another one changes the file, and how often it tries, in milliseconds. */
const lockTimeoutMs = 3_000;
const lockRetryMs = 20;

/** Returns the path of the file with the contexts (XDG Base Directory Specification). */
export function contextsPath(env: NodeJS.ProcessEnv): string {
  const { XDG_CONFIG_HOME: directory = "" } = env;
  // The specification says to ignore a relative path.
  const base = isAbsolute(directory) ? directory : join(env.HOME || homedir(), ".config");
  return join(base, "inventory", "contexts.json");
}

/** Reads the contexts. There are none if the file does not exist. @throws CommandError if the file is malformed */
export async function readContexts({ env }: Environment): Promise<Contexts> {
  const path = contextsPath(env);
  const text = await unlessMissing(readFile(path, "utf8")).catch((error: unknown) => {
    throw fileError(path, error);
  });
  if (text === undefined) return { current: undefined, byName: new Map() };
  const contexts = parse(text);
  if (contexts) return contexts;
  throw usageError(`${path} is malformed: delete it, and run \`inventory login\` again`);
}

/**
 * Changes the contexts, while no other command does. Other users cannot read the file.
 *
 * @param change returns the new contexts
 * @throws CommandError if the file cannot be written, and the error of `change`
 */
export async function changeContexts(
  environment: Environment,
  change: (contexts: Contexts) => Contexts,
): Promise<void> {
  const path = contextsPath(environment.env);
  using _ = await lock(path);
  await writeContexts(path, change(await readContexts(environment)));
}

/** Locks the directory of the file, which it creates if it does not exist. @throws CommandError */
async function lock(path: string): Promise<Disposable> {
  const deadline = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      await mkdir(dirname(path), { recursive: true, mode: directoryMode });
      return await lockDirectory(dirname(path));
    } catch (error) {
      if (!(error instanceof CommandError)) throw fileError(path, error);
      if (performance.now() > deadline) {
        throw new CommandError(error.code, `another command changes ${path}: try again`);
      }
      await delay(lockRetryMs);
    }
  }
}

async function writeContexts(path: string, contexts: Contexts): Promise<void> {
  const value = { current: contexts.current, contexts: Object.fromEntries(contexts.byName) };
  try {
    // An existing file keeps its permissions when it is replaced, so they must be right before the keys are written.
    await chmod(path, fileMode).catch(() => {});
    const text = `${JSON.stringify(value, undefined, 2)}\n`;
    await replaceFile(path, [text], new AbortController().signal, fileMode);
  } catch (error) {
    throw fileError(path, error);
  }
}

function parse(text: string): Contexts | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || !isObject(value.contexts)) return undefined;
    const entries = Object.entries(value.contexts);
    const valid = entries.filter((entry): entry is [string, Context] => isContext(entry[1]));
    const { current } = value;
    if (valid.length < entries.length) return undefined;
    return { current: typeof current === "string" ? current : undefined, byName: new Map(valid) };
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isContext(value: unknown): value is Context {
  if (!isObject(value)) return false;
  const { server, apiKey, caFile = "" } = value;
  return [server, apiKey, caFile].every((each) => typeof each === "string");
}
