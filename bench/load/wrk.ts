import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../case.ts";
import { runLoadGenerator } from "../machine/run-command.ts";
import { type Call, valuesOf } from "./call.ts";
import type { Traffic } from "./traffic.ts";

const script = join(import.meta.dirname, "wrk.lua");

interface WrkResults {
  readonly requests: number;
  readonly seconds: number;
  /** Responses with a status above 399. */
  readonly badStatus: number;
  readonly broken: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Puts load on a server with wrk over HTTP/1.1, as fast as responses arrive.
 *
 * @throws Error if a response had the wrong kind of status, or there was none
 */
export async function driveByWrk(call: Call, connections: number, run: Run): Promise<Traffic> {
  const files = join(run.scratch, randomUUID());
  writeFileSync(`${files}.callers`, callersOf(call, run).join("\n"));
  if (call.body) writeFileSync(`${files}.body`, call.body);
  const output = await runLoadGenerator(
    "wrk",
    [
      ...["-t", "1", "-c", String(connections), "-d", "600", "-s", script],
      `http://127.0.0.1:${run.server.port}/`,
      "--",
      ...[`${files}.callers`, call.method, call.path, call.body ? `${files}.body` : "-"],
      ...Object.entries(call.headers).map(([name, value]) => `${name}=${value}`),
    ],
    // wrk takes whole seconds only, but prints its results when it is interrupted.
    { stopAfterMs: run.seconds * 1_000 },
  );
  const results: WrkResults = JSON.parse(output.trim().split("\n").at(-1) ?? "");
  const wanted = call.status > 399 ? results.requests : 0;
  if (results.broken > 0 || results.badStatus !== wanted || results.requests === 0) {
    throw new Error(
      `${results.broken} broken connections and ${results.badStatus} statuses above 399 in ${results.requests} responses`,
    );
  }
  return results;
}

/** Returns a line per request: its key and the value of `{n}`. */
function callersOf(call: Call, run: Run): string[] {
  const keys = call.keys(run.data);
  const values = valuesOf(call);
  return Array.from(
    { length: Math.max(keys.length, values.length) },
    (_, index) => `${keys[index % keys.length]} ${values[index % values.length]}`,
  );
}
