import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Ticks per second of the kernel's process clock. */
const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** Returns the user and system CPU time of a process so far, all threads, in µs. */
export function cpuMicros(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses can contain spaces. The state, the third field, follows it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return (ticks / ticksPerSecond) * 1_000_000;
}

/** The same in nanosecond resolution instead of 10 ms, but only for threads that still run. */
export function threadsCpuMicros(pid: number): number {
  const nanoseconds = globSync(`/proc/${pid}/task/*/schedstat`).map((file) =>
    Number(readFileSync(file, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1_000;
}

const idleCheckMs = 200;
const mostIdleChecks = 100;

/** Waits until a process uses less than a tenth of a core. @throws Error if it goes on for 20 s */
export async function untilIdle(pid: number): Promise<void> {
  for (let check = 0; check < mostIdleChecks; check += 1) {
    const before = threadsCpuMicros(pid);
    await sleep(idleCheckMs);
    if (threadsCpuMicros(pid) - before < 100 * idleCheckMs) return;
  }
  throw new Error("the server goes on without load");
}

/** Returns how often a process has called the system to read or write so far: sockets, pipes and files. */
export function readsAndWrites(pid: number): number {
  const text = readFileSync(`/proc/${pid}/io`, "utf8");
  const [, reads, writes] = /^syscr: (\d+)\nsyscw: (\d+)$/m.exec(text) ?? [];
  return Number(reads) + Number(writes);
}

/** Returns the resident memory of a process in MB (10⁶ bytes). */
export function residentMegabytes(pid: number): number {
  const [, kibibytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (Number(kibibytes) * 1_024) / 1_000_000;
}
