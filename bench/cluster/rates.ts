import { httpList } from "../calls.ts";
import type { Run } from "../case.ts";
import { driveOpenLoop } from "../load/open-loop.ts";
import { threadsCpuMicros } from "../machine/process-use.ts";
import { alternate, type Effort, type Measured, type Variant } from "./rounds.ts";
import { items, type Service, type ServiceContext, startSingle } from "./services.ts";

/** Requests a second, independent of the responses. */
const rates = [100, 400, 1_000] as const;
const connections = 256;
const deadlineMs = 2_000;
/** The part of the requests that must have succeeded. The service refuses some when the machine is busy. */
const leastGood = 0.95;

/** CPU time of a request in µs, and latencies in µs. */
export type RateCost = "server" | "redis" | "p50" | "p99";

/** Measures one process with a single Redis at rates that it can serve. The simulation is compared with the results. */
export async function measureRates(
  context: ServiceContext,
  effort: Effort,
): Promise<Map<number, Measured<RateCost>>> {
  const service = await startSingle(context);
  try {
    const variants = rates.map((rate) => atRate(rate, service, context));
    const measured = await alternate(variants, effort);
    return new Map(measured.flatMap((each, index) => [[rates[index] ?? 0, each]]));
  } finally {
    await service.stop();
  }
}

function atRate(
  rate: number,
  { server, data, redisMicros }: Service,
  context: ServiceContext,
): Variant<RateCost> {
  return {
    title: `${rate.toLocaleString("en")} requests a second`,
    async measure(seconds) {
      const run = { ...context, server, data, seconds } as Run;
      const before = { server: threadsCpuMicros(server.pid), redis: await redisMicros() };
      const options = { rate, connections, deadlineMs };
      const {
        arrivals,
        good,
        p50,
        p99,
        seconds: counted,
      } = await driveOpenLoop(httpList(items), options, run);
      const own = threadsCpuMicros(server.pid) - before.server;
      const redis = (await redisMicros()) - before.redis;
      if (good < arrivals * leastGood) {
        throw new Error(`${arrivals - good} of ${arrivals} requests failed`);
      }
      // The arrivals of the first second do not count.
      const all = arrivals * ((counted + 1) / counted);
      return { server: own / all, redis: redis / all, p50: p50 * 1_000, p99: p99 * 1_000 };
    },
  };
}
