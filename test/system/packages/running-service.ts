import { join } from "node:path";
import { firstAdminKey } from "../clients/fixture.ts";
import { startRedisServer } from "../harness/redis-server.ts";
import { startServer } from "../harness/server-process.ts";

/** A server process with a Redis of its own. */
export interface RunningService {
  readonly url: string;
  readonly adminKey: string;
  stop(): Promise<void>;
}

/**
 * Starts a server.
 *
 * @param folder the project's folder
 * @param settings settings that differ from the defaults
 */
export async function startService(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const redis = await startRedisServer();
  const all = { REDIS_URL: redis.url, WATCH_HEARTBEAT_MS: "1000", ...settings };
  const server = await startServer(all, { main: join(folder, "src/main.ts") });
  return {
    url: server.url,
    adminKey: firstAdminKey(redis.url),
    async stop() {
      await server.end();
      await redis.stop();
    },
  };
}
