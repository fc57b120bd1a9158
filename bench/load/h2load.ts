import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../case.ts";
import { type GeneratorOptions, runLoadGenerator } from "../machine/run-command.ts";
import type { Call } from "./call.ts";
import type { Traffic } from "./traffic.ts";

/** The options of a run of h2load. */
export interface H2loadOptions extends Pick<GeneratorOptions, "yields"> {
  readonly protocol: "h2c" | "http/1.1";
  readonly port: number;
  readonly key: string;
  readonly connections: number;
  /** The maximum of concurrent requests per connection. */
  readonly streams: number;
  readonly requests: number;
  /** Requests per second over all connections; as fast as responses arrive if absent. */
  readonly rate?: number;
}

/**
 * Puts load on a server with h2load and one API key.
 *
 * @throws Error if a response had the wrong kind of status, or there was none
 */
export async function driveByH2load(
  call: Call,
  options: H2loadOptions,
  run: Run,
): Promise<Traffic & { readonly bodyBytes: number }> {
  const files = join(run.scratch, randomUUID());
  if (call.body) writeFileSync(`${files}.body`, call.body);
  const { connections, requests, rate } = options;
  const headers = { ...call.headers, authorization: `Bearer ${options.key}` };
  const args = [
    ...["-p", options.protocol, "-n", String(requests), "-c", String(connections)],
    ...["-m", String(options.streams), "--log-file", `${files}.log`],
    ...(rate === undefined ? [] : ["--rps", (rate / connections).toFixed(2)]),
    ...(call.body ? ["-d", `${files}.body`] : []),
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    `http://127.0.0.1:${options.port}${call.path.replace("{n}", "1")}`,
  ];
  const output = await runLoadGenerator("h2load", args, options);
  checkStatuses(output, call.status, requests);
  const bodyBytes = Number(/\((\d+)\) data/.exec(output)?.[1]);
  return { ...traffic(readFileSync(`${files}.log`, "utf8")), bodyBytes };
}

function checkStatuses(output: string, status: number, requests: number): void {
  const kinds = ["2xx", "3xx", "4xx", "5xx"].map((kind) =>
    Number(new RegExp(`(\\d+) ${kind}`).exec(output)?.[1]),
  );
  const right = kinds[Math.floor(status / 100) - 2];
  if (right !== requests) {
    throw new Error(
      `${right} of ${requests} responses had the right status (2xx to 5xx: ${kinds.join(", ")})`,
    );
  }
}

/** Reads the log: a line per request, `<start µs>\t<status>\t<duration µs>`. */
function traffic(log: string): Traffic {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  const durations = log
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [start, , duration] = line.split("\t").map(Number);
      first = Math.min(first, start ?? 0);
      last = Math.max(last, (start ?? 0) + (duration ?? 0));
      return duration ?? 0;
    })
    .sort((a, b) => a - b);
  const at = (share: number) => (durations[Math.floor(durations.length * share)] ?? 0) / 1_000;
  return {
    requests: durations.length,
    seconds: (last - first) / 1_000_000,
    p50: at(0.5),
    p99: at(0.99),
  };
}
