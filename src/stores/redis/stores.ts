import { storeUnavailable } from "../errors.ts";
import type { Stores, StoresOptions } from "../stores.ts";
import { createAccountGuard } from "./accounts/account-guard.ts";
import { type Amended, createAccountIndex } from "./accounts/account-index.ts";
import { createRedisAccountStore } from "./accounts/account-store.ts";
import { createRedisAdmissionStore } from "./admission/admission-store.ts";
import { createRedisAuditStore } from "./audit/audit-store.ts";
import { createRedisCatalogStore } from "./catalog/catalog-store.ts";
import { type ConnectionOptions, connectRedis } from "./connection/connection.ts";
import type { RedisSettings } from "./connection/settings.ts";
import type { TimeBudget } from "./connection/time-budget.ts";
import { createFormatWatch, FormatError, openFormatWithin } from "./format.ts";
import { createRedisChangeReader } from "./history/change-reader.ts";
import { createHistoryTrimmer, createRedisHistory } from "./history/history.ts";
import { createRedisHoldStore } from "./holds/hold-store.ts";
import { type Finding, inspectOnce } from "./inspection.ts";
import { itemsKey } from "./keys.ts";
import { createRedisOrderStore } from "./orders/order-store.ts";
import { createRedisPlaceStore } from "./places/place-store.ts";
import { createStatusReader, writeProbe } from "./status.ts";
import { createRedisInventoryStore } from "./stock/inventory-store.ts";
import { createListCache, type ListRead } from "./stock/list-cache.ts";
import { createItemPages, createWholeListReader } from "./stock/whole-list.ts";
import { createRedisUsageStore } from "./usage/usage-store.ts";

export interface RedisStoresOptions
  extends StoresOptions,
    Pick<ConnectionOptions, "onFailure" | "outages" | "onReply"> {
  /** The clock in milliseconds since the epoch; the clock of Redis when absent. */
  readonly now?: () => number;
  /** How long to wait for Redis. When absent, about half a second for all commands of a request. */
  readonly timeBudget?: TimeBudget;
  /** Called when the stored data has been found to have another format, after any connection. */
  readonly onUnusable?: (error: FormatError) => void;
  /** Called after the first connection with everything that is wrong with the settings of Redis. */
  readonly onFinding?: (finding: Finding) => void;
  /** Called with an account that was in use, but not in the index, and what became of it. */
  readonly onAmended?: (accountId: string, amended: Amended) => void;
  /** Called when the clock of Redis was set back, with the milliseconds. */
  readonly onClockSetBack?: (ms: number) => void;
  /** Called with what each read of the cached list has found. */
  readonly onListRead?: (result: ListRead) => void;
}

/** Makes the stores in Redis, by settings or the URL of a server. @throws Error that names an unreadable setting */
export function createRedisStores(
  target: RedisSettings | string,
  options: RedisStoresOptions = {},
): Stores {
  const { onFailure = () => {}, now, history: limits, timeBudget, chooseOrderId } = options;
  const { onUnusable = () => {}, onFinding, outages, onReply, onAmended = () => {} } = options;
  const connection = connectRedis(target, {
    onFailure,
    ...(timeBudget && { newTimeBudget: () => timeBudget }),
    onConnect() {
      checkFormat();
      inspect?.();
      // A failover can have lost entries of the index.
      guard.forget();
    },
    outages,
    onReply,
  });
  const checkFormat = createFormatWatch(connection, onUnusable);
  const inspect = onFinding && inspectOnce(connection, onFinding);
  const trimHistory = createHistoryTrimmer(connection, now, limits);
  const settings = { now, history: limits, orders: options.orders, trimHistory };
  const accounts = createRedisAccountStore(connection, now);
  const orders = createRedisOrderStore(connection, settings, chooseOrderId);
  const holds = createRedisHoldStore(connection, settings, chooseOrderId);
  const index = createAccountIndex(connection, accounts, orders, holds);
  const guard = createAccountGuard(index, onAmended);
  const page = createItemPages(connection);
  const history = createRedisHistory(connection);
  const wholeList = createWholeListReader(page, history.changesSince);
  const list = createListCache(connection, wholeList, options.onListRead);
  return {
    accounts,
    admission: createRedisAdmissionStore(connection, now, options.onClockSetBack),
    audit: createRedisAuditStore(connection, now, options.auditLength),
    catalog: createRedisCatalogStore(connection, settings),
    holds,
    inventory: createRedisInventoryStore(connection, settings, { page, history, list }),
    orders,
    places: createRedisPlaceStore(connection),
    usage: createRedisUsageStore(connection, now, guard.seen),
    readChanges: (onRevoked) => createRedisChangeReader(target, onFailure, onRevoked),
    async ready(timeoutMs) {
      const endsAt = performance.now() + timeoutMs;
      await connection.ready(timeoutMs);
      const leftMs = endsAt - performance.now();
      await openFormatWithin(connection, leftMs).catch((error: unknown) => {
        if (error instanceof FormatError) throw storeUnavailable(error);
        throw connection.explained(error);
      });
    },
    reconnect: connection.reconnect,
    async ping() {
      // Redis replies to PING in any case.
      const write = connection.run(itemsKey, (redis) => redis.eval(writeProbe, 1, itemsKey));
      await Promise.all([write, connection.checkPermissions()]);
    },
    status: createStatusReader(connection, holds.totals),
    close: connection.close,
  };
}
