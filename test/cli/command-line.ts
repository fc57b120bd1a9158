import { spawn } from "node:child_process";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Environment } from "../../src/cli/environment.ts";
import { run } from "../../src/cli/program.ts";

/** What a command line did. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command line finds. */
export interface Surroundings {
  readonly redisUrl?: string;
  readonly stdin?: string;
  readonly isTTY?: boolean;
  /** The API key for a server. */
  readonly apiKey?: string;
}

/** Runs a command line within the test's process. */
export async function runHere(
  args: readonly string[],
  { redisUrl, stdin = "", isTTY = false, apiKey }: Surroundings = {},
): Promise<Outcome> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const printed = Promise.all([text(stdout), text(stderr)]);
  const environment: Environment = {
    env: {
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
      ...(apiKey !== undefined && { INVENTORY_API_KEY: apiKey }),
    },
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout,
    stderr,
    isTTY,
  };
  const code = await run(args, environment);
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, stdout: out, stderr: err };
}

/** Path of the command. */
export const mainPath = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** Runs a command line in a process of its own. */
export async function runThere(
  args: readonly string[],
  { redisUrl, stdin = "" }: Surroundings = {},
): Promise<Outcome> {
  const { REDIS_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, [mainPath, ...args], {
    env: redisUrl === undefined ? env : { ...env, REDIS_URL: redisUrl },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: (await ended) ?? -1, stdout, stderr };
}
