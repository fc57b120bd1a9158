import type { HistoryLimits } from "../inventory/stock-change.ts";
import type { Stores } from "../stores.ts";
import { createRedisAccountStore } from "./account-store.ts";
import { createRedisAdmissionStore } from "./admission-store.ts";
import { createRedisChangeReader } from "./change-reader.ts";
import { connected, connectRedis, disconnectRedis } from "./connection.ts";
import { createRedisHistory } from "./history.ts";
import { createHistoryTrimmer } from "./history-trimmer.ts";
import { createRedisInventoryStore } from "./inventory-store.ts";
import { createItemPages } from "./item-pages.ts";
import { createKeptList } from "./kept-list.ts";
import { createRedisOrderStore } from "./order-store.ts";
import type { Patience } from "./patience.ts";
import { createWholeListReader } from "./whole-list.ts";

/** What a test or a program may choose about the stores in Redis. */
export interface RedisStoresOptions {
  /** Told of every failure to connect, and of every command that failed. */
  readonly onFailure?: (error: unknown) => void;
  /** The clock in milliseconds since the epoch; the server's own when absent. */
  readonly now?: () => number;
  /**
   * How much of the stock's history is kept. Changes made without it forget nothing: that is for the
   * service, whose settings say how much.
   */
  readonly history?: HistoryLimits;
  /** How long to wait for the server; half a second for a request in all when absent. */
  readonly patience?: Patience;
}

/**
 * Stores in Redis.
 *
 * @param url redis:// or rediss://
 */
export function createRedisStores(
  url: string,
  { onFailure = () => {}, now, history: limits, patience }: RedisStoresOptions = {},
): Stores {
  const connection = connectRedis(url, onFailure, patience);
  const trimHistory = createHistoryTrimmer(connection, now, limits);
  const settings = { now, history: limits, trimHistory };
  const page = createItemPages(connection);
  const history = createRedisHistory(connection);
  const list = createKeptList(connection, createWholeListReader(page, history.changesSince));
  return {
    accounts: createRedisAccountStore(connection, now),
    admission: createRedisAdmissionStore(connection, now, list),
    inventory: createRedisInventoryStore(connection, settings, { page, history, list }),
    orders: createRedisOrderStore(connection, settings),
    readChanges: () => createRedisChangeReader(url, onFailure),
    ready: (timeoutMs) => connected(connection, timeoutMs),
    async ping() {
      // Redis runs such a script only where it would accept a write: a PING it answers always.
      await connection.guard(connection.redis.eval("#!lua\nreturn 1", 0));
    },
    close: () => disconnectRedis(connection),
  };
}
