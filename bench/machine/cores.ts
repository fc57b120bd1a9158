import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** The server has a core of its own. The load generator and Redis share another one. */
export const serverCore = 0;
export const loadCore = availableParallelism() > 1 ? 1 : 0;

/** Returns a command line that runs a command on one core, in the same process. */
export function onCore(core: number, command: string, args: readonly string[]): [string, string[]] {
  return ["taskset", ["-c", String(core), command, ...args]];
}

/** Moves a running process with all its threads to one core. */
export function moveToCore(core: number, pid: number): void {
  execFileSync("taskset", ["-acp", String(core), String(pid)], { stdio: "ignore" });
}
