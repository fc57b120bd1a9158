import type { Load } from "../case.ts";
import type { Call } from "./call.ts";
import { metered } from "./metered.ts";
import { probeHttp } from "./probe.ts";
import { driveByWrk } from "./wrk.ts";

/** Load over HTTP/1.1, with one request at a time on each connection. */
export function httpLoad(call: Call, connections = 64): Load {
  return async (run) => {
    await probeHttp(call, run);
    const sample = await metered(run, () => driveByWrk(call, connections, run));
    await probeHttp(call, run);
    return sample;
  };
}
