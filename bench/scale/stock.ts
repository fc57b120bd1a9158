import { Redis } from "ioredis";
import { readConfig } from "../../src/config/config.ts";
import { createRedisStores } from "../../src/stores/redis/stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import type { Run } from "../case.ts";
import { seed } from "../data.ts";
import { type StartContext, startServer } from "../machine/server.ts";
import { ourServer } from "../servers.ts";

/** The default length of the history. */
const { history } = readConfig({});

/** A stock of some size, and a server for it. */
export interface StockStage extends Omit<Run, "seconds"> {
  /** The number of items. */
  readonly items: number;
  /** The same stock without a server. */
  readonly stores: Stores;
  readonly redis: Redis;
}

/** Fills Redis with a stock, starts a server, and runs the measurements. */
export async function withStock(
  items: number,
  context: StartContext & { readonly redisPid: number },
  measure: (stage: StockStage) => Promise<void>,
): Promise<void> {
  const data = await seed(context.redisUrl, items);
  const stores = createRedisStores(context.redisUrl, { history });
  const redis = new Redis(context.redisUrl);
  const server = await startServer(ourServer, context);
  try {
    await stores.ready(5_000);
    await measure({
      ...context,
      items,
      data,
      server,
      spec: ourServer,
      stores,
      redis,
      quick: false,
    });
  } finally {
    await server.stop();
    await stores.close();
    redis.disconnect();
  }
}

/** The process ids of the server and of Redis. */
export function pidsOf({ server, redisPid }: StockStage): [number, number] {
  return [server.pid, redisPid];
}
