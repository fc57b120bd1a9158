import { Redis } from "ioredis";
import { type RedisServer, startRedisServer } from "../test/system/harness/redis-server.ts";
import { loadCore, moveToCore } from "./machine/cores.ts";

/** A private Redis on the core of the load generator. */
export async function startBenchRedis(): Promise<{ server: RedisServer; pid: number }> {
  const server = await startRedisServer();
  const client = new Redis(server.url);
  const info = await client.info("server");
  client.disconnect();
  const pid = Number(/^process_id:(\d+)/m.exec(info)?.[1]);
  moveToCore(loadCore, pid);
  return { server, pid };
}
