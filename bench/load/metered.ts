import type { Run, Sample } from "../case.ts";
import { cpuMicros, residentMegabytes } from "../machine/process-use.ts";
import type { Traffic } from "./traffic.ts";

/** Puts load on a server. Returns the cost of a request in the server and in Redis. */
export async function metered(run: Run, drive: () => Promise<Traffic>): Promise<Sample> {
  const before = { server: cpuMicros(run.server.pid), redis: cpuMicros(run.redisPid) };
  const { requests, seconds, p50, p99 } = await drive();
  return {
    cpu: (cpuMicros(run.server.pid) - before.server) / requests,
    redisCpu: (cpuMicros(run.redisPid) - before.redis) / requests,
    throughput: requests / seconds,
    p50,
    p99,
    rss: residentMegabytes(run.server.pid),
  };
}
