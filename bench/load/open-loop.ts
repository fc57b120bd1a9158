import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../case.ts";
import { runLoadGenerator } from "../machine/run-command.ts";
import type { Call } from "./call.ts";

/** What came of an open-loop run. The latencies are of the good responses, in milliseconds. */
export interface OpenLoopTraffic {
  readonly arrivals: number;
  readonly seconds: number;
  /** Status 200 within the deadline. */
  readonly good: number;
  /** Status 503 within the deadline. */
  readonly unavailable: number;
  readonly other: number;
  /** Without a response by the deadline. */
  readonly expired: number;
  /** Without a free connection. */
  readonly unsent: number;
  readonly broken: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the server in milliseconds. */
  readonly cpu: number;
}

/** How an open-loop run is driven. */
export interface OpenLoopOptions {
  /** Arrivals a second, whatever the server responds. */
  readonly rate: number;
  readonly connections: number;
  readonly deadlineMs: number;
}

/** Before the arrivals that count, in seconds. */
const warmUpSeconds = 1;
/** The time for a run that is shorter than a few deadlines shows only the beginning of an overload. */
const minSeconds = 3;

const built = new Map<string, string>();

/** Builds the generator once, with the Go standard library alone. */
function generator(scratch: string): string {
  const binary = built.get(scratch) ?? join(scratch, "open-loop");
  if (!built.has(scratch)) {
    const source = join(import.meta.dirname, "open-loop/main.go");
    execFileSync("go", ["build", "-o", binary, source], { stdio: "pipe" });
    built.set(scratch, binary);
  }
  return binary;
}

/** Drives HTTP/1.1 GET requests at a fixed rate, each with a deadline. */
export async function driveOpenLoop(
  call: Call,
  { rate, connections, deadlineMs }: OpenLoopOptions,
  run: Run,
): Promise<OpenLoopTraffic> {
  const callers = join(run.scratch, `${randomUUID()}.callers`);
  writeFileSync(callers, call.keys(run.data).join("\n"));
  const output = await runLoadGenerator(generator(run.scratch), [
    ...["-port", String(run.server.port), "-pid", String(run.server.pid)],
    ...["-path", call.path, "-callers", callers],
    ...["-rate", rate.toFixed(0), "-connections", String(connections)],
    ...["-deadline", `${deadlineMs}ms`, "-warm-up", String(warmUpSeconds)],
    ...["-seconds", String(Math.max(minSeconds, run.seconds))],
  ]);
  return JSON.parse(output) as OpenLoopTraffic;
}
