import type { Run, Sample } from "../case.ts";
import { residentMegabytes, threadsCpuMicros } from "../machine/process-use.ts";
import type { Traffic } from "./traffic.ts";

/** Puts load on a server. Returns the cost of a request in the server and in Redis. */
export async function metered(run: Run, drive: () => Promise<Traffic>): Promise<Sample> {
  const { server } = run;
  const allocatedBefore = await server.allocated?.();
  const before = { server: threadsCpuMicros(server.pid), redis: threadsCpuMicros(run.redisPid) };
  const { requests, seconds, p50, p99 } = await drive();
  const after = { server: threadsCpuMicros(server.pid), redis: threadsCpuMicros(run.redisPid) };
  const allocatedAfter = await server.allocated?.();
  return {
    cpu: (after.server - before.server) / requests,
    redisCpu: (after.redis - before.redis) / requests,
    ...(allocatedBefore !== undefined &&
      allocatedAfter !== undefined && {
        allocated: (allocatedAfter - allocatedBefore) / requests,
      }),
    throughput: requests / seconds,
    p50,
    p99,
    rss: residentMegabytes(server.pid),
  };
}
