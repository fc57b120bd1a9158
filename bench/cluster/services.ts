import { Redis } from "ioredis";
import type { Data } from "../data.ts";
import { type Server, type StartContext, startServer } from "../machine/server.ts";
import { startBenchRedis } from "../redis.ts";
import { ourServer } from "../servers.ts";
import { spreadIds } from "./accounts.ts";
import { fill, openStores, startFleet, usedMicros } from "./fleet.ts";

/** The number of items in the stock. */
export const items = 10;
const accounts = 100;
/** The number of primaries of the cluster that is compared with a single server. */
const primaries = 3;

/** Options of a server, without its Redis. */
export type ServiceContext = Omit<StartContext, "redisUrl">;

/** A server of this service with its Redis. */
export interface Service {
  readonly server: Server;
  readonly data: Data;
  /** Returns the CPU time of all Redis servers so far, in µs. */
  redisMicros(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a server that uses a single Redis. */
export async function startSingle(context: ServiceContext): Promise<Service> {
  const { server: redis } = await startBenchRedis();
  const client = new Redis(redis.url);
  const environment = { REDIS_URL: redis.url };
  return startService(context, environment, {
    redisMicros: () => usedMicros(client),
    async stop() {
      client.disconnect();
      await redis.stop();
    },
  });
}

/** Starts a server that uses a Redis Cluster. */
export async function startClustered(context: ServiceContext): Promise<Service> {
  const fleet = await startFleet(primaries);
  return startService(context, fleet.environment, {
    async redisMicros() {
      return (await fleet.cpuMicros()).reduce((sum, used) => sum + used, 0);
    },
    stop: fleet.stop,
  });
}

async function startService(
  context: ServiceContext,
  environment: Readonly<Record<string, string>>,
  redis: Pick<Service, "redisMicros" | "stop">,
): Promise<Service> {
  try {
    const stores = await openStores(environment);
    const keys = await fill(stores, items, spreadIds(accounts));
    await stores.close();
    const data = { keys: keys.map(({ secret }) => secret), spentKeys: [], greedyKey: "" };
    const spec = { ...ourServer, environment: () => environment };
    const server = await startServer(spec, { ...context, redisUrl: "" });
    const stop = async () => {
      await server.stop();
      await redis.stop();
    };
    return { server, data, redisMicros: redis.redisMicros, stop };
  } catch (error) {
    await redis.stop();
    throw error;
  }
}
