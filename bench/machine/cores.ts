import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** The server has a core for itself; whatever drives it, and Redis, have another. */
export const serverCore = 0;
export const loadCore = availableParallelism() > 1 ? 1 : 0;

/** A command line that runs a command on one core only, in the same process. */
export function onCore(core: number, command: string, args: readonly string[]): [string, string[]] {
  return ["taskset", ["-c", String(core), command, ...args]];
}

/** Moves a running process with all its threads to one core. */
export function moveToCore(core: number, pid: number): void {
  execFileSync("taskset", ["-acp", String(core), String(pid)], { stdio: "ignore" });
}
