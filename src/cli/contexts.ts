import { chmod, mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { usageError } from "./command-error.ts";
import type { Environment } from "./environment.ts";
import { fileError } from "./file-format.ts";
import { replaceFile } from "./replace-file.ts";

/** A server with an API key, saved by `login`. */
export interface Context {
  /** Base URL. */
  readonly server: string;
  readonly apiKey: string;
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

/** Returns the path of the file with the contexts (XDG Base Directory Specification). */
export function contextsPath(env: NodeJS.ProcessEnv): string {
  return join(
    env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"),
    "inventory",
    "contexts.json",
  );
}

/** Reads the contexts. There are none if the file does not exist. @throws CommandError if the file is malformed */
export async function readContexts({ env }: Environment): Promise<Contexts> {
  const path = contextsPath(env);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return { current: undefined, byName: new Map() };
    }
    throw fileError(path, error);
  }
  const contexts = parse(text);
  if (contexts) return contexts;
  throw usageError(`${path} is malformed: delete it, and run \`inventory login\` again`);
}

/** Writes the contexts. Other users cannot read the file. @throws CommandError if it cannot be written */
export async function writeContexts({ env }: Environment, contexts: Contexts): Promise<void> {
  const path = contextsPath(env);
  const value = { current: contexts.current, contexts: Object.fromEntries(contexts.byName) };
  try {
    await mkdir(dirname(path), { recursive: true, mode: directoryMode });
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
  return isObject(value) && typeof value.server === "string" && typeof value.apiKey === "string";
}
