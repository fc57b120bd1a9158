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

function optionsFor(call: Call, run: Run, answer: Buffer, requests: number): H2loadOptions {
  return {
    protocol: "h2c",
    port: run.server.grpcPort,
    key: nextKey(call, run),
    connections,
    streams,
    requests: Math.max(connections, Math.round(requests)),
    answerBytes: answer.byteLength,
  };
}

/** gRPC over h2c, as fast as the answers come. */
export function grpcLoad(call: Call): Load {
  const throughputs = new WeakMap<Server, number>();
  return async (run) => {
    const answer = await probeGrpc(call, run);
    const drive = (requests: number) =>
      driveByH2load(call, optionsFor(call, run, answer, requests), run);
    const throughput = throughputs.get(run.server) ?? rate(await drive(trial));
    const sample = await metered(run, () => drive(throughput * run.seconds));
    throughputs.set(run.server, sample.throughput ?? throughput);
    await probeGrpc(call, run);
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
    const answer = await probeGrpc(call, run);
    const offered = throughput * share;
    const options = optionsFor(call, run, answer, offered * run.seconds);
    return metered(run, () => driveByH2load(call, { ...options, rate: offered }, run));
  };
}

function rate({ requests, seconds }: Traffic): number {
  return requests / seconds;
}
