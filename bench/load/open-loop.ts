import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../case.ts";
import { runLoadGenerator } from "../machine/run-command.ts";
import type { Call } from "./call.ts";

/** The result of an open-loop run. Latencies are those of good responses, in milliseconds. */
export interface OpenLoopTraffic {
  readonly arrivals: number;
  readonly seconds: number;
  /** Status 200 within the deadline. */
  readonly good: number;
  /** Status 503 within the deadline. */
  readonly unavailable: number;
  readonly other: number;
  /** No response by the deadline. */
  readonly expired: number;
  /** No free connection. */
  readonly unsent: number;
  readonly broken: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the server in milliseconds. */
  readonly cpu: number;
}

/** The options of an open-loop run. */
export interface OpenLoopOptions {
  /** Arrivals per second, independent of the responses. */
  readonly rate: number;
  readonly connections: number;
  readonly deadlineMs: number;
}

/** Warm-up before the arrivals that count, in seconds. */
const warmUpSeconds = 1;
/** The shortest run. In less than a few deadlines only the beginning of an overload shows. */
const minSeconds = 3;

const built = new Map<string, string>();

/** Builds the generator once. It needs only the standard library of Go. */
function generator(scratch: string): string {
  const binary = built.get(scratch) ?? join(scratch, "open-loop");
  if (!built.has(scratch)) {
    const source = join(import.meta.dirname, "open-loop/main.go");
    execFileSync("go", ["build", "-o", binary, source], { stdio: "pipe" });
    built.set(scratch, binary);
  }
  return binary;
}

/** Sends HTTP/1.1 GET requests at a fixed rate, each with a deadline. */
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
