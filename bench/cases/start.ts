import { setTimeout as sleep } from "node:timers/promises";
import { httpList, listBody } from "../calls.ts";
import { type Case, type Load, ours } from "../case.ts";
import { probeHttp } from "../load/probe.ts";
import { residentMegabytes } from "../machine/process-use.ts";
import { spawnServer } from "../machine/server.ts";
import { bareHttp, bundledServer } from "../servers.ts";

const timeoutMs = 10_000;

/** Starts a server of its own and requests the list until there is a response. */
const firstResponse: Load = async (run) => {
  const begin = performance.now();
  const server = await spawnServer(run.spec, run);
  try {
    for (;;) {
      try {
        await probeHttp(httpList(10), { ...run, server });
        return { start: performance.now() - begin, rss: residentMegabytes(server.pid) };
      } catch (error) {
        if (performance.now() - begin > timeoutMs) throw error;
        await sleep(5);
      }
    }
  } finally {
    await server.stop();
  }
};

export const startCase: Case = {
  name: "start",
  about: "From the start of the process to its first list, and its memory then",
  items: 10,
  contestants: [
    { name: ours, server: bundledServer, load: firstResponse },
    { name: "bare-http", server: bareHttp(listBody(10)), load: firstResponse },
  ],
};
