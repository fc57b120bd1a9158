import { httpList, httpUpdate } from "../calls.ts";
import type { Run } from "../case.ts";
import type { Call } from "../load/call.ts";
import { probeHttp } from "../load/probe.ts";
import { driveByWrk } from "../load/wrk.ts";
import { threadsCpuMicros } from "../machine/process-use.ts";
import { alternate, type Effort, type Measured, type Variant } from "./rounds.ts";
import {
  items,
  type Service,
  type ServiceContext,
  startClustered,
  startSingle,
} from "./services.ts";

const connections = 64;

/** CPU time of a request in µs: in the server, and in all Redis servers. */
export type RequestCost = "server" | "redis";

/** Measures lists and updates over HTTP with a single Redis and with a cluster: two variants for each call. */
export async function measureRequests(
  context: ServiceContext,
  effort: Effort,
): Promise<Map<string, Measured<RequestCost>[]>> {
  const single = await startSingle(context);
  try {
    const clustered = await startClustered(context);
    try {
      const rows = new Map<string, Measured<RequestCost>[]>();
      const calls = {
        "GET /v1/inventory": httpList(items),
        "PATCH /v1/inventory/{petId}": httpUpdate,
      };
      for (const [name, call] of Object.entries(calls)) {
        const variants = [
          requests(`${name}, single`, call, single, context),
          requests(`${name}, cluster`, call, clustered, context),
        ];
        rows.set(name, await alternate(variants, effort));
      }
      return rows;
    } finally {
      await clustered.stop();
    }
  } finally {
    await single.stop();
  }
}

function requests(
  title: string,
  call: Call,
  { server, data, redisMicros }: Service,
  context: ServiceContext,
): Variant<RequestCost> {
  return {
    title,
    async measure(seconds) {
      const run = { ...context, server, data, seconds } as Run;
      await probeHttp(call, run);
      const before = { server: threadsCpuMicros(server.pid), redis: await redisMicros() };
      const { requests: count } = await driveByWrk(call, connections, run);
      const own = threadsCpuMicros(server.pid) - before.server;
      const redis = (await redisMicros()) - before.redis;
      await probeHttp(call, run);
      return { server: own / count, redis: redis / count };
    },
  };
}
