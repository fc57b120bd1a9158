import { type Call, valuesOf } from "../load/call.ts";
import { probeHttp } from "../load/probe.ts";
import { driveByWrk } from "../load/wrk.ts";
import { costsOf } from "./cost.ts";
import { pidsOf, type StockStage } from "./stock.ts";
import type { Subject } from "./subject.ts";

const connections = 64;
/** The values of a call whose complete responses are checked before and after a run. */
const probes = 20;

/** Requests over HTTP/1.1 on 64 connections, as fast as responses arrive. */
export function requests(
  title: string,
  callFor: (stage: StockStage) => Call | Promise<Call>,
): Subject<StockStage> {
  return {
    title,
    lines: [
      { name: "server", unit: "µs/req" },
      { name: "Redis", unit: "µs/req" },
    ],
    async measure(stage, seconds) {
      const run = { ...stage, seconds };
      const call = await callFor(stage);
      await probeSome(call, stage);
      const costs = await costsOf(pidsOf(stage), async () => {
        return (await driveByWrk(call, connections, run)).requests;
      });
      await probeSome(call, stage);
      return costs;
    },
  };
}

async function probeSome(call: Call, stage: StockStage): Promise<void> {
  const values = valuesOf(call);
  const step = Math.max(1, Math.floor(values.length / probes));
  for (let at = 0; at < values.length; at += step) {
    await probeHttp(call, { ...stage, seconds: 0 }, values[at]);
  }
}
