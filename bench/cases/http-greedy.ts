import { parseApiKey } from "../../src/access/api-key.ts";
import { createRedisStores } from "../../src/redis/stores.ts";
import { httpList } from "../calls.ts";
import { type Case, type Load, ours, type Run } from "../case.ts";
import { greedyLimits } from "../data.ts";
import { driveByH2load } from "../load/h2load.ts";
import { metered } from "../load/metered.ts";
import type { Server } from "../machine/server.ts";
import { ourServer } from "../servers.ts";

/** Requests a second of the caller whose latency is looked at. */
const modestRate = 1_000;
/** The greedy caller sends ten times what its limit admits. */
const greedyRate = (10 * greedyLimits.perMinute) / 60;
/** How much of that it must have sent at least: its load generator yields to the others. */
const leastShare = 0.9;
/** The greedy caller begins before the modest one. */
const leadSeconds = 0.2;

const call = httpList(10);

/** 1,000 requests a second of one key. */
const modest: Load = (run) => {
  const requests = Math.round(modestRate * run.seconds * 2);
  const options = { protocol: "http/1.1", connections: 8, streams: 1 } as const;
  const key = run.data.keys[0] ?? "";
  return metered(run, () =>
    driveByH2load(
      call,
      { ...options, port: run.server.port, key, requests, rate: modestRate },
      run,
    ),
  );
};

/** The same, while another key sends far more than it may. */
const besideGreedy: Load = async (run) => {
  await spendMinute(run);
  const requests = Math.round(greedyRate * (run.seconds * 2 + 2 * leadSeconds));
  // Both generators are on one core: what the greedy one takes there is not to be the modest one's latency.
  const options = { protocol: "http/1.1", connections: 64, streams: 1, yields: true } as const;
  const key = run.data.greedyKey;
  const greedy = driveByH2load(
    { ...call, status: 429 },
    { ...options, port: run.server.port, key, requests, rate: greedyRate },
    run,
  );
  await new Promise((resolve) => setTimeout(resolve, leadSeconds * 1_000));
  const [{ p50, p99 }, sent] = await Promise.all([modest(run), greedy]);
  // Where the greedy caller could not be greedy, on too busy a machine, there is nothing to tell.
  if (sent.requests / sent.seconds < leastShare * greedyRate) return {};
  // CPU time has both callers in it, and is told of neither.
  return { p50, p99 };
};

const spent = new WeakSet<Server>();

/** Uses up the greedy account's minute, once. */
async function spendMinute({ server, redisUrl, data }: Run): Promise<void> {
  const key = parseApiKey(data.greedyKey);
  if (spent.has(server) || !key) {
    return;
  }
  spent.add(server);
  const stores = createRedisStores(redisUrl);
  await stores.ready(5_000);
  for (let sent = 0; sent < greedyLimits.perMinute; sent += 1_000) {
    await Promise.all(
      Array.from({ length: 1_000 }, () => stores.admission.admitKey(key.accountId, key.hash)),
    );
  }
  await stores.close();
}

export const httpGreedyCase: Case = {
  name: "http-greedy",
  about: "A caller's latency at 1,000 requests a second while another sends 10 times its limit",
  items: 10,
  contestants: [
    { name: ours, server: ourServer, load: besideGreedy },
    { name: "unloaded", server: ourServer, load: modest },
  ],
};
