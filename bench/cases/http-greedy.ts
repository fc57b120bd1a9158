import { parseApiKey } from "../../src/access/api-key.ts";
import { createRedisStores } from "../../src/stores/redis/stores.ts";
import { httpList } from "../calls.ts";
import { type Case, type Load, ours, type Run } from "../case.ts";
import { greedyLimits } from "../data.ts";
import { driveByH2load } from "../load/h2load.ts";
import { metered } from "../load/metered.ts";
import type { Server } from "../machine/server.ts";
import { ourServer } from "../servers.ts";

/** Requests a second of the caller whose latency is measured. */
const modestRate = 1_000;
/** The greedy caller sends ten times its limit. */
const greedyRate = (10 * greedyLimits.perMinute) / 60;
/** The part of its load that it must have sent at least. Its load generator has a low priority. */
const leastShare = 0.9;
/** How much earlier the greedy caller starts than the modest one. */
const leadSeconds = 0.2;

const call = httpList(10);

/** 1,000 requests a second with one key. */
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

/** The same, while another key sends far more than its limit. */
const withGreedyCaller: Load = async (run) => {
  await spendMinute(run);
  const requests = Math.round(greedyRate * (run.seconds * 2 + 2 * leadSeconds));
  // Both generators share a core. The greedy one must not add to the latency of the modest one.
  const options = { protocol: "http/1.1", connections: 64, streams: 1, yields: true } as const;
  const key = run.data.greedyKey;
  const greedy = driveByH2load(
    { ...call, status: 429 },
    { ...options, port: run.server.port, key, requests, rate: greedyRate },
    run,
  );
  await new Promise((resolve) => setTimeout(resolve, leadSeconds * 1_000));
  const [{ p50, p99 }, sent] = await Promise.all([modest(run), greedy]);
  // On a machine that is too busy, the greedy caller could not send its load: the run does not count.
  if (sent.requests / sent.seconds < leastShare * greedyRate) return {};
  // CPU time is left out, because it includes both callers.
  return { p50, p99 };
};

const spent = new WeakSet<Server>();

/** Uses up the greedy account's minute, once. */
async function spendMinute({ server, redisUrl, data }: Run): Promise<void> {
  const key = parseApiKey(data.greedyKey);
  if (spent.has(server) || !key) return;
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
  callsOwnCode: true,
  contestants: [
    { name: ours, server: ourServer, load: withGreedyCaller },
    { name: "unloaded", server: ourServer, load: modest },
  ],
};
