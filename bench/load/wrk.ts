import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../case.ts";
import { runLoadGenerator } from "../machine/run-command.ts";
import { type Call, valuesOf } from "./call.ts";
import type { Traffic } from "./traffic.ts";

const script = join(import.meta.dirname, "wrk.lua");

interface Told {
  readonly requests: number;
  readonly seconds: number;
  /** Answers with a status above 399. */
  readonly badStatus: number;
  readonly broken: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Drives HTTP/1.1 by wrk as fast as the answers come.
 *
 * @throws Error when an answer had the wrong kind of status, or none came
 */
export async function driveByWrk(call: Call, connections: number, run: Run): Promise<Traffic> {
  const files = join(run.scratch, randomUUID());
  writeFileSync(`${files}.callers`, callersOf(call, run).join("\n"));
  if (call.body) {
    writeFileSync(`${files}.body`, call.body);
  }
  const output = await runLoadGenerator(
    "wrk",
    [
      ...["-t", "1", "-c", String(connections), "-d", "600", "-s", script],
      `http://127.0.0.1:${run.server.port}/`,
      "--",
      ...[`${files}.callers`, call.method, call.path, call.body ? `${files}.body` : "-"],
      ...Object.entries(call.headers).map(([name, value]) => `${name}=${value}`),
    ],
    // wrk counts whole seconds only, but tells its results when interrupted.
    { stopAfterMs: run.seconds * 1_000 },
  );
  const told: Told = JSON.parse(output.trim().split("\n").at(-1) ?? "");
  const wanted = call.status > 399 ? told.requests : 0;
  if (told.broken > 0 || told.badStatus !== wanted || told.requests === 0) {
    throw new Error(
      `${told.broken} broken connections and ${told.badStatus} statuses above 399 in ${told.requests} answers`,
    );
  }
  return told;
}

/** A line for each request: who sends it, and what `{n}` stands for. */
function callersOf(call: Call, run: Run): string[] {
  const keys = call.keys(run.data);
  const values = valuesOf(call);
  return Array.from(
    { length: Math.max(keys.length, values.length) },
    (_, index) => `${keys[index % keys.length]} ${values[index % values.length]}`,
  );
}
