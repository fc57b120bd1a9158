import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { scopes } from "../../../src/access/scopes.ts";
import { unknownOrigin } from "../../../src/stores/stock-change.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { itemsFrom, placed } from "../../support/stock.ts";
import { type LiveServer, startLiveServer } from "../harness/live-server.ts";
import { startRedisServer } from "../harness/redis-server.ts";
import type { CorpusKeys } from "./corpus.ts";

const noLimits = {
  plan: "enterprise",
  limits: { perMinute: 1_000_000, perDay: 1_000_000_000 },
} as const;

/** Settings of the server. The timeouts are short, so that an incomplete request ends soon. */
const settings = {
  LOG_LEVEL: "info",
  HEADERS_TIMEOUT_MS: "1000",
  REQUEST_TIMEOUT_MS: "1500",
  SEND_TIMEOUT_MS: "1500",
  KEEP_ALIVE_TIMEOUT_MS: "1000",
  WATCH_HEARTBEAT_MS: "1000",
  ANONYMOUS_PER_MINUTE: "1000000",
  ANONYMOUS_PER_DAY: "1000000000",
  GRPC_REFLECTION: "on",
};

/** The server under test, on a separate Redis. */
export interface Subject {
  readonly keys: CorpusKeys;
  readonly server: LiveServer;
  /** Starts a new server after a crash. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts Redis and the server. @param onBug called with each log line that reports a bug */
export async function startSubject(onBug: (line: string) => void): Promise<Subject> {
  const redis = await startRedisServer();
  const stores = openRedisStores(redis.url);
  await stores.ready(5_000);
  const items = itemsFrom(1n, 50, 1_000);
  await stores.catalog.put(items, { ...unknownOrigin, reason: ChangeReason.IMPORT });
  const caller = await addAccount(stores, noLimits, "aaaaaaaaaaaa");
  const administrator = await addAccount(stores, noLimits, "bbbbbbbbbbbb");
  const administered = await addAccount(stores, noLimits, "cccccccccccc");
  const keys = {
    rich: (await addKey(stores, caller)).secret,
    admin: (await addKey(stores, administrator, { scopes: [...scopes] })).secret,
    accountId: administered,
    keyId: (await addKey(stores, administered)).keyId,
    orderId: String((await placed(stores.orders, caller, 1n, 1)).orderId),
    othersOrderId: String((await placed(stores.orders, administered, 1n, 1)).orderId),
  };
  await stores.close();
  const start = () => startLiveServer({ ...settings, REDIS_URL: redis.url }, [], onBug);
  let server = await start();
  return {
    keys,
    get server() {
      return server;
    },
    async restart() {
      await server.kill();
      server = await start();
    },
    async close() {
      await server.kill();
      await redis.stop();
    },
  };
}
