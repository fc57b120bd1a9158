import { httpList, listBody } from "../calls.ts";
import { type Case, type Load, ours } from "../case.ts";
import { httpLoad } from "../load/http.ts";
import { driveOpenLoop } from "../load/open-loop.ts";
import { probeHttp } from "../load/probe.ts";
import { untilIdle } from "../machine/process-use.ts";
import type { ServerSpec } from "../machine/server.ts";
import { bareHttp, ourServer } from "../servers.ts";

/** The number of connections, each with one request at a time. */
const connections = 4_000;
const deadlineMs = 1_000;

/** All connections come from one address. */
const server: ServerSpec = {
  ...ourServer,
  environment: () => ({ MAX_CONNECTIONS_PER_ADDRESS: String(2 * connections) }),
};

const call = httpList(10);
const maximum = httpLoad(call);

/**
 * Sends more requests than the server can serve. Throughput counts good responses: 200 within the deadline.
 *
 * @param times the rate of arrivals, divided by the maximum throughput measured just before
 */
function atTimes(times: number): Load {
  return async (run) => {
    const most = (await maximum(run)).throughput ?? 0;
    const options = { rate: times * most, connections, deadlineMs };
    const traffic = await driveOpenLoop(call, options, run);
    if (traffic.other > 0) throw new Error(`${traffic.other} responses were neither 200 nor 503`);
    // The closed connections of an overload would slow down the next run.
    await untilIdle(run.server.pid);
    await probeHttp(call, run);
    const throughput = traffic.good / traffic.seconds;
    return {
      throughput,
      lost: 1 - throughput / most,
      cpu: (1_000 * traffic.cpu) / traffic.good,
      p50: traffic.p50,
      p99: traffic.p99,
    };
  };
}

export const httpOverloadCase: Case = {
  name: "http-overload",
  about:
    "`GET /v1/inventory` at twice the maximum throughput, open loop, 4,000 connections, deadline 1 s. Throughput counts only responses in time with status 200",
  items: 10,
  contestants: [
    { name: ours, server, load: atTimes(2) },
    { name: "maximum", server, load: maximum },
    { name: "bare-http", server: bareHttp(listBody(10)), load: atTimes(2), fullOnly: true },
  ],
};

export const httpFloodCase: Case = {
  name: "http-overload-10",
  about: "The same at ten times the maximum throughput",
  items: 10,
  contestants: [
    { name: ours, server, load: atTimes(10) },
    { name: "maximum", server, load: maximum },
    { name: "bare-http", server: bareHttp(listBody(10)), load: atTimes(10), fullOnly: true },
  ],
};
