import { Redis } from "ioredis";
import { createRedisStores } from "../../src/stores/redis/stores.ts";
import { httpList } from "../calls.ts";
import { type Case, type Load, ours } from "../case.ts";
import { type Call, holds } from "../load/call.ts";
import { metered } from "../load/metered.ts";
import { probeHttp } from "../load/probe.ts";
import type { Traffic } from "../load/traffic.ts";
import { peerItemsKey } from "../peers/support/store.ts";
import { fastifyFlexible, ourServer } from "../servers.ts";

const count = 10_000;

/** Alternately changes an item and reads the list. Every list must show the latest change. */
const changeAndRead: Load = async (run) => {
  const redis = new Redis(run.redisUrl);
  const stores = createRedisStores(run.redisUrl);
  try {
    await stores.ready(5_000);
    return await metered(run, () => drive());
  } finally {
    await stores.close();
    redis.disconnect();
  }

  /** Changes the item directly in the store, so that the server's cost is that of the read alone. */
  async function change(petId: number, quantity: number): Promise<void> {
    await stores.inventory.change({ petId: BigInt(petId), quantity });
    await redis.hset(peerItemsKey, petId, `${quantity},available`);
  }

  async function drive(): Promise<Traffic> {
    const begin = performance.now();
    const latencies: number[] = [];
    while (performance.now() - begin < run.seconds * 1_000) {
      const petId = 1 + 3 * (latencies.length % 3_000);
      const quantity = 1_000 + latencies.length;
      await change(petId, quantity);
      const sent = performance.now();
      await probeHttp(showing(petId, quantity), run);
      latencies.push(performance.now() - sent);
    }
    const seconds = latencies.reduce((sum, each) => sum + each, 0) / 1_000;
    latencies.sort((a, b) => a - b);
    const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
    return { requests: latencies.length, seconds, p50: at(0.5), p99: at(0.99) };
  }
};

function showing(petId: number, quantity: number): Call {
  const text = `{"petId":${petId},"quantity":${quantity},`;
  return { ...httpList(count), check: holds("the changed list", (body) => body.includes(text)) };
}

export const httpLongChangedCase: Case = {
  name: "http-long-changed",
  about: "`GET /v1/inventory`, 10,000 items, one of them changed before each read",
  items: count,
  callsOwnCode: true,
  contestants: [
    { name: ours, server: ourServer, load: changeAndRead },
    { name: "fastify-flexible", server: fastifyFlexible, load: changeAndRead },
  ],
};
