import type { Load, Run } from "../case.ts";
import type { Server } from "../machine/server.ts";
import type { Call } from "./call.ts";
import { driveByH2load, type H2loadOptions } from "./h2load.ts";
import { metered } from "./metered.ts";
import { probeGrpc } from "./probe.ts";
import type { Traffic } from "./traffic.ts";

/** 64 calls under way, as the loads over HTTP/1.1 have. */
const connections = 8;
const streams = 8;
/** Requests that find out how fast a server is: h2load is told a number, not a time. */
const trial = 1_000;

let turn = 0;

/** One run of h2load has one key; the next run has the next, so that no limit is reached. */
function nextKey(call: Call, { data }: Run): string {
  const keys = call.keys(data);
  turn += 1;
  return keys[turn % keys.length] ?? "";
}

function optionsFor(call: Call, run: Run, requests: number): H2loadOptions {
  return {
    protocol: "h2c",
    port: run.server.grpcPort,
    key: nextKey(call, run),
    connections,
    streams,
    requests: Math.max(connections, Math.round(requests)),
  };
}

/**
 * Drives a server, and looks at an answer before and after.
 *
 * @throws Error when the answers were shorter in all than so many answers are, as long as the shorter of
 * the two that were looked at, or longer: gRPC tells an error with status 200 and without a message
 */
async function drive(call: Call, run: Run, options: H2loadOptions): Promise<Traffic> {
  const before = await probeGrpc(call, run);
  const { bodyBytes, ...traffic } = await driveByH2load(call, options, run);
  const after = await probeGrpc(call, run);
  const [least = 0, most = 0] = [before, after]
    .map(({ byteLength }) => byteLength * options.requests)
    .sort((a, b) => a - b);
  if (bodyBytes < least || bodyBytes > most) {
    throw new Error(`${bodyBytes} bytes came in place of ${least} to ${most}: there were errors`);
  }
  return traffic;
}

/** gRPC over h2c, as fast as the answers come. */
export function grpcLoad(call: Call): Load {
  const throughputs = new WeakMap<Server, number>();
  return async (run) => {
    const send = (requests: number) => drive(call, run, optionsFor(call, run, requests));
    const throughput = throughputs.get(run.server) ?? rate(await send(trial));
    const sample = await metered(run, () => send(throughput * run.seconds));
    throughputs.set(run.server, sample.throughput ?? throughput);
    return sample;
  };
}

/**
 * gRPC over h2c at a share of what the server can do at most, whatever the answers take. The most is
 * measured in the first run, the warm-up, whose values are those of full load.
 */
export function grpcLoadAt(share: number, call: Call): Load {
  const most = new WeakMap<Server, number>();
  const fullLoad = grpcLoad(call);
  return async (run) => {
    const throughput = most.get(run.server);
    if (throughput === undefined) {
      await fullLoad(run);
      const sample = await fullLoad(run);
      most.set(run.server, sample.throughput ?? 0);
      return sample;
    }
    const offered = throughput * share;
    const options = optionsFor(call, run, offered * run.seconds);
    return metered(run, () => drive(call, run, { ...options, rate: offered }));
  };
}

function rate({ requests, seconds }: Traffic): number {
  return requests / seconds;
}
