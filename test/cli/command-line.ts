import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { beforeEach, expect } from "vitest";
import type { Environment } from "../../src/cli/environment.ts";
import { run } from "../../src/cli/program.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";
import { type Child, type ChildOptions, startChild } from "../system/harness/child.ts";

/** The result of a command. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The outcome of a command that succeeds and prints only its result. */
export const succeeded = (stdout: string): Outcome => ({ code: 0, stdout, stderr: "" });

/** The outcome of a command that fails. @param stderr the whole text, or a matcher */
export const failed = (code: number, stderr: string): Outcome => ({ code, stdout: "", stderr });

export interface CommandEnvironment {
  readonly redisUrl?: string;
  readonly stdin?: string;
  readonly isTTY?: boolean;
  /** Properties of the streams, such as `isTTY` and `columns` of a terminal. */
  readonly streams?: Readonly<Partial<Record<"stdin" | "stdout" | "stderr", object>>>;
  readonly apiKey?: string;
  /** Whether the result has the notice that the command waits for a response. Otherwise it is left out. */
  readonly notices?: "kept";
  /** More environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Splits the first argument of a command line into words, so that a test can have them in one text. */
function wordsOf(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => (at === 0 ? arg.split(" ") : arg));
}

/** What a command says while it waits for a response: the machine may be busy. */
const notice = /^waiting for (?:Redis|the server): .*\n/gm;

/**
 * Runs a command in this process.
 *
 * @param args the first can have several words
 */
export async function runHere(
  args: readonly string[],
  {
    redisUrl,
    stdin = "",
    isTTY = false,
    streams,
    apiKey,
    variables,
    notices,
  }: CommandEnvironment = {},
): Promise<Outcome> {
  const stdout = Object.assign(new PassThrough(), streams?.stdout);
  const stderr = Object.assign(new PassThrough(), streams?.stderr);
  const printed = Promise.all([text(stdout), text(stderr)]);
  const environment: Environment = {
    env: {
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
      ...(apiKey !== undefined && { INVENTORY_API_KEY: apiKey }),
      ...variables,
    },
    stdin: Object.assign(Readable.from([Buffer.from(stdin)]), streams?.stdin),
    stdout,
    stderr,
    showsProgress: isTTY,
  };
  const code = await run(wordsOf(args), environment);
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, stdout: out, stderr: notices ? err : err.replace(notice, "") };
}

/** Runs a command in this process that must succeed, without a message. @returns its standard output */
export async function succeedHere(
  args: readonly string[],
  environment: CommandEnvironment,
): Promise<string> {
  const { code, stdout, stderr } = await runHere(args, environment);
  expect([args.join(" "), code, stderr]).toEqual([args.join(" "), 0, ""]);
  return stdout;
}

/** Runs commands in this process on a Redis that is empty before each test. */
export function useCommands() {
  const redis = useRedis();
  beforeEach(async () => {
    await redis.client.flushdb();
  });
  const succeed = (...args: readonly string[]) => succeedHere(args, { redisUrl: redis.url });
  return {
    redis,
    inventory: (...args: readonly string[]) => runHere(args, { redisUrl: redis.url }),
    /** Runs a command that must succeed. @returns its standard output */
    succeed,
    /** Runs a command that must succeed. @returns its result */
    json: async (...args: readonly string[]) => JSON.parse(await succeed(...args, "--output=json")),
    /** Opens the stores of the service on this Redis while `use` runs. */
    async withStores<T>(use: (stores: Stores) => Promise<T>): Promise<T> {
      const stores = openRedisStores(redis.url);
      try {
        await stores.ready(5_000);
        return await use(stores);
      } finally {
        await stores.close();
      }
    },
  };
}

export const mainPath = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** Starts a command in a child process. @param args as for {@link runHere} */
export function startThere(
  args: readonly string[],
  redisUrl: string | undefined,
  options: ChildOptions = {},
): Child {
  const { REDIS_URL: _, ...env } = { ...process.env, ...options.env };
  const all = redisUrl === undefined ? env : { ...env, REDIS_URL: redisUrl };
  return startChild([process.execPath, mainPath, ...wordsOf(args)], { ...options, env: all });
}

/** Runs a command in a child process. */
export async function runThere(
  args: readonly string[],
  { redisUrl, stdin = "", variables }: CommandEnvironment = {},
): Promise<Outcome> {
  const outcome = await outcomeOf(
    startThere(args, redisUrl, { input: stdin, env: { ...variables } }),
  );
  return { ...outcome, code: outcome.code ?? -1 };
}

/** Waits until a command has ended. Its exit code is null if a signal ended it. */
export async function outcomeOf(
  command: Child,
): Promise<Omit<Outcome, "code"> & { readonly code: number | null }> {
  const { code } = await command.exited(Number.POSITIVE_INFINITY);
  return { code, stdout: command.stdout, stderr: command.stderr };
}
