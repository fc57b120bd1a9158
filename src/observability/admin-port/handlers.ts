import { once } from "node:events";
import { createReadStream } from "node:fs";
import { unlink } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { parseWeights } from "connect-gateway";
import { openMetrics, plainText } from "../metrics/exposition.ts";
import type { Metric } from "../metrics/metric.ts";
import type { Snapshot } from "../metrics/registry.ts";
import { healthOf, type ServiceReport } from "./health.ts";
import { type AdminHandler, type AdminResponse, failure, json } from "./listener.ts";

/** Makes a heap snapshot or CPU profile. @returns the path of a new file with it */
export type Diagnose = (task: DiagnosticTask, worker: number | undefined) => Promise<string>;

export type DiagnosticTask =
  | { readonly kind: "heap-snapshot" }
  | { readonly kind: "cpu-profile"; readonly seconds: number };

export interface AdminHandlerOptions {
  /** All metrics of the service, in the order in which they are shown. */
  readonly metrics: readonly Metric[];
  /** Asks all processes of the service. Takes at most about a second. */
  report(kind: "metrics" | "health"): Promise<ServiceReport>;
  config(): unknown;
  /** Undefined when diagnostics are off. */
  readonly diagnose: Diagnose | undefined;
}

const maxProfileSeconds = 60;
const defaultProfileSeconds = 10;

/** Makes the handlers of the admin port, by path. */
export function adminHandlers(options: AdminHandlerOptions): ReadonlyMap<string, AdminHandler> {
  const { metrics, report, config } = options;
  const diagnose = oneAtATime(options.diagnose);
  const own: Readonly<Record<string, AdminHandler>> = {
    async "/healthz"() {
      const health = healthOf(await report("health"));
      return json(health.status === "ok" ? 200 : 503, health);
    },
    "/config": () => json(200, config()),
    "POST /debug/heap-snapshot": (_, query) =>
      diagnose({ kind: "heap-snapshot" }, query, "heapsnapshot"),
    "POST /debug/cpu-profile"(_, query) {
      const seconds = Number(query.get("seconds") ?? defaultProfileSeconds);
      if (!(seconds >= 1 && seconds <= maxProfileSeconds)) {
        return failure(400, `seconds must be between 1 and ${maxProfileSeconds}.`);
      }
      return diagnose({ kind: "cpu-profile", seconds }, query, "cpuprofile");
    },
  };
  const basic = basicHandlers(metrics, async () => (await report("metrics")).snapshot);
  return new Map([...basic, ...Object.entries(own)]);
}

/** Makes the handlers that every process with an admin port has. @param metrics those that are shown, in their order */
export function basicHandlers(
  metrics: readonly Metric[],
  snapshot: () => Snapshot | Promise<Snapshot>,
): ReadonlyMap<string, AdminHandler> {
  const basic: Readonly<Record<string, AdminHandler>> = {
    async "/metrics"(request) {
      const format = acceptsOpenMetrics(request) ? openMetrics : plainText;
      const headers = { "content-type": format.contentType, vary: "accept" };
      return { status: 200, headers, body: format.write(metrics, await snapshot()) };
    },
    // For supervisors: the process responds. It says nothing about Redis.
    "/livez": () => json(200, { status: "ok" }),
  };
  return new Map(Object.entries(basic));
}

/** Old scrapers do not ask for OpenMetrics. */
function acceptsOpenMetrics({ headers }: IncomingMessage): boolean {
  return (parseWeights(headers.accept ?? "").get("application/openmetrics-text") ?? 0) > 0;
}

function oneAtATime(diagnose: Diagnose | undefined) {
  let isBusy = false;
  return async (
    task: DiagnosticTask,
    query: URLSearchParams,
    extension: string,
  ): Promise<AdminResponse> => {
    if (!diagnose) return failure(403, "Diagnostics are off. Set ADMIN_DEBUG=on.");
    if (isBusy) return failure(409, "Another diagnosis is in progress. Wait until it ends.");
    const worker = query.has("worker") ? Number(query.get("worker")) : undefined;
    isBusy = true;
    try {
      return await fileResponse(await diagnose(task, worker), extension);
    } catch (error) {
      if (error instanceof RangeError) return failure(400, error.message);
      throw error;
    } finally {
      isBusy = false;
    }
  };
}

/** Sends a file, which is removed at once: the open file stays readable. */
async function fileResponse(path: string, extension: string): Promise<AdminResponse> {
  const body = createReadStream(path);
  await once(body, "open");
  await unlink(path);
  const name = `inventory-${new Date().toISOString().replaceAll(":", "-")}.${extension}`;
  return {
    status: 200,
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="${name}"`,
    },
    body,
  };
}
