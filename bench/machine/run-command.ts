import { spawn } from "node:child_process";
import { once } from "node:events";
import { loadCore, onCore } from "./cores.ts";

/**
 * Runs a load generator on the core that is not the server's.
 *
 * @param stopAfterMs when to interrupt it, for one that then tells its results
 * @returns what it wrote to its standard output
 * @throws Error with its standard error when it fails
 */
export async function runLoadGenerator(
  command: string,
  args: readonly string[],
  stopAfterMs?: number,
): Promise<string> {
  const child = spawn(...onCore(loadCore, command, args), { stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  const stop =
    stopAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGINT"), stopAfterMs);
  const [code] = await once(child, "close");
  clearTimeout(stop);
  if (code !== 0) {
    throw new Error(`${command} ended with ${code}: ${output.stderr.trim() || output.stdout}`);
  }
  return output.stdout;
}
