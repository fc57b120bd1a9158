import type { Load, Run } from "../case.ts";
import type { Server } from "../machine/server.ts";
import type { Call } from "./call.ts";
import { driveByH2load, type H2loadOptions } from "./h2load.ts";
import { metered } from "./metered.ts";
import { probeGrpc } from "./probe.ts";
import type { Traffic } from "./traffic.ts";

/** 64 concurrent calls, as many as the loads over HTTP/1.1 have. */
const connections = 8;
const streams = 8;
/** The number of requests that measure the speed of a server. h2load takes a number, not a duration. */
const trial = 1_000;

let index = 0;

/** A run of h2load has one key, and the next run has another one, so that no limit is reached. */
function nextKey(call: Call, { data }: Run): string {
  const keys = call.keys(data);
  index += 1;
  return keys[index % keys.length] ?? "";
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
 * Puts load on a server, and checks one response before and one after.
 *
 * @throws Error if the size of all responses does not match the size of these two. A gRPC error has status 200 and no
 * message, so only the size shows it
 */
async function drive(call: Call, run: Run, options: H2loadOptions): Promise<Traffic> {
  const before = await probeGrpc(call, run);
  const { bodyBytes, ...traffic } = await driveByH2load(call, options, run);
  const after = await probeGrpc(call, run);
  const [least = 0, most = 0] = [before, after]
    .map(({ byteLength }) => byteLength * options.requests)
    .sort((a, b) => a - b);
  if (bodyBytes < least || bodyBytes > most) {
    throw new Error(
      `received ${bodyBytes} bytes instead of ${least} to ${most}: there were errors`,
    );
  }
  return traffic;
}

/** gRPC over h2c, as fast as responses arrive. */
export function grpcLoad(call: Call): Load {
  const throughputs = new WeakMap<Server, number>();
  return async (run) => {
    const send = (requests: number) => drive(call, run, optionsFor(call, run, requests));
    let throughput = throughputs.get(run.server);
    if (throughput === undefined) {
      const endAt = performance.now() + run.seconds * 1_000;
      throughput = rate(await send(trial));
      // A cold server is slow, so a number of requests for the whole time would warm it up for a part of the time.
      const fifth = run.seconds / 5;
      while (performance.now() < endAt) throughput = rate(await send(throughput * fifth));
    }
    const sample = await metered(run, () => send(throughput * run.seconds));
    throughputs.set(run.server, sample.throughput ?? throughput);
    return sample;
  };
}

/**
 * gRPC over h2c at a fixed rate: a part of the server's maximum, however long responses take. The first run, the warm-up,
 * measures that maximum under full load.
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
