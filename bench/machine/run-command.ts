import { spawn } from "node:child_process";
import { once } from "node:events";
import { loadCore, onCore } from "./cores.ts";

/** The options for a load generator. */
export interface GeneratorOptions {
  /** When to interrupt a generator that then prints its results. */
  readonly stopAfterMs?: number;
  /** Runs it with a low priority, for load that is not measured itself. */
  readonly yields?: boolean;
}

/**
 * Runs a load generator on the core that the server does not use.
 *
 * @returns its standard output
 * @throws Error with its standard error if it fails
 */
export async function runLoadGenerator(
  command: string,
  args: readonly string[],
  { stopAfterMs, yields = false }: GeneratorOptions = {},
): Promise<string> {
  const child = spawn(...onCore(loadCore, "nice", ["-n", yields ? "19" : "0", command, ...args]), {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  // Repeated, because wrk ignores the signal until it has started its threads.
  const stop =
    stopAfterMs === undefined ? undefined : setInterval(() => child.kill("SIGINT"), stopAfterMs);
  const [code] = await once(child, "close");
  clearInterval(stop);
  if (code !== 0) {
    throw new Error(`${command} ended with ${code}: ${output.stderr.trim() || output.stdout}`);
  }
  return output.stdout;
}
