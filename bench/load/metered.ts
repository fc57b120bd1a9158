import type { Run, Sample } from "../case.ts";
import { readsAndWrites, residentMegabytes, threadsCpuMicros } from "../machine/process-use.ts";
import type { Traffic } from "./traffic.ts";

/** Puts load on a server. Returns the cost of a request in the server and in Redis. */
export async function metered(run: Run, drive: () => Promise<Traffic>): Promise<Sample> {
  const before = await useOf(run);
  const { requests, seconds, p50, p99 } = await drive();
  const after = await useOf(run);
  const perRequest = (measure: keyof Use) => {
    const [from, to] = [before[measure], after[measure]];
    return from === undefined || to === undefined ? {} : { [measure]: (to - from) / requests };
  };
  return {
    ...perRequest("cpu"),
    ...perRequest("redisCpu"),
    ...perRequest("allocated"),
    ...perRequest("systemCalls"),
    ...perRequest("promises"),
    ...perRequest("ticks"),
    throughput: requests / seconds,
    p50,
    p99,
    rss: residentMegabytes(run.server.pid),
  };
}

/** What a server and Redis have used so far. */
type Use = Pick<Sample, "cpu" | "redisCpu" | "allocated" | "systemCalls" | "promises" | "ticks">;

async function useOf({ server, redisPid }: Run): Promise<Use> {
  const made = await server.made?.();
  return {
    cpu: threadsCpuMicros(server.pid),
    redisCpu: threadsCpuMicros(redisPid),
    systemCalls: readsAndWrites(server.pid),
    ...made,
  };
}
