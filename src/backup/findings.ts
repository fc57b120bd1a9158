import { dayMs } from "../call/durations.ts";
import { type AccountIndex, createAccountIndex } from "../stores/redis/accounts/account-index.ts";
import { createRedisAccountStore } from "../stores/redis/accounts/account-store.ts";
import { abortable } from "../stores/redis/connection/abortable.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import { createRedisHoldStore } from "../stores/redis/holds/hold-store.ts";
import {
  accountIndexKey,
  accountPartitions,
  auditEntriesKey,
  bansKey,
  deletedAccountsKey,
  holdIndexKey,
  holdsKey,
  orderCountKey,
  orderIndexKey,
  stockKeys,
} from "../stores/redis/keys.ts";
import { createRedisOrderStore } from "../stores/redis/orders/order-store.ts";
import { lastingSettings } from "../stores/redis/stock/inventory-store.ts";
import { storedKeys } from "../stores/redis/stored-keys.ts";
import { createRedisUsageStore } from "../stores/redis/usage/usage-store.ts";
import {
  type AccountChecks,
  createAccountCheck,
  createListedCheck,
  createOwnerCheck,
  entryFindings,
} from "./account-findings.ts";
import type { Finding } from "./finding.ts";
import { holdFindings } from "./hold-findings.ts";
import { createKeyCheck, createUsageCheck } from "./key-findings.ts";
import { redisMicros } from "./restore.ts";
import {
  createOrdersCheck,
  endedAccountFindings,
  itemFindings,
  orderIndexFindings,
} from "./stock-findings.ts";

const partitions = Array.from({ length: accountPartitions }, (_, partition) => partition);
const sharedKeys = [
  accountIndexKey,
  deletedAccountsKey,
  ...stockKeys,
  orderIndexKey,
  orderCountKey,
  holdsKey,
  holdIndexKey,
  auditEntriesKey,
  ...partitions.map(bansKey),
];

/**
 * Finds data that a backup would lack: accounts, pets and holds that their indexes lack, on every server. Reads the names of all keys. Its memory does not grow with the data.
 *
 * @throws ConnectError unavailable; the signal's reason
 */
export async function* hiddenData(
  opened: Connection,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const connection = abortable(opened, signal);
  const check = createListedCheck(checksOf(connection));
  for await (const keys of storedKeys(connection)) {
    signal.throwIfAborted();
    for await (const finding of check(keys)) if (finding.isHidden) yield finding;
  }
  for (const each of [itemFindings, holdFindings]) {
    for await (const finding of each(connection)) if (finding.isHidden) yield finding;
  }
}

/**
 * Compares each index with what it indexes, in both directions, and checks the form of each key, while the service runs.
 * Reads page by page, so that its memory does not grow with the data.
 *
 * @throws ConnectError unavailable; WrongTypeError; the signal's reason
 */
export async function* allFindings(
  opened: Connection,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const connection = abortable(opened, signal);
  const checks = checksOf(connection, opened);
  const now = (await redisMicros(connection)) / 1_000;
  const keyCheck = createKeyCheck(connection);
  const others = [
    createListedCheck(checks),
    createAccountCheck(checks),
    createOwnerCheck(checks),
    createOrdersCheck(connection),
  ];
  const usageCheck = createUsageCheck(connection);
  // The checks of each page use these keys.
  for await (const _ of keyCheck(sharedKeys)) {
    // Their page reports it.
  }
  for await (const keys of storedKeys(connection)) {
    signal.throwIfAborted();
    yield* keyCheck(keys);
    for (const check of others) yield* check(keys, now);
    yield* usageCheck(keys, Math.floor(now / dayMs));
  }
  const rest = [itemFindings, orderIndexFindings, endedAccountFindings, holdFindings];
  for (const each of rest) yield* each(connection);
  yield* entryFindings(checks);
}

/**
 * @param whole the connection for repairs of several commands, which an abort does not stop halfway: after a part of a
 * deletion, nothing would show what is left to delete
 */
function checksOf(connection: Connection, whole = connection): AccountChecks {
  const orders = createRedisOrderStore(connection, lastingSettings);
  const { amend } = indexOn(whole);
  return {
    connection,
    index: { ...indexOn(connection), amend },
    addUsage: createRedisUsageStore(connection, undefined, () => {}).add,
    deleteOrders: (accountId) => orders.deleteAll(accountId),
  };
}

function indexOn(connection: Connection): AccountIndex {
  const accounts = createRedisAccountStore(connection, undefined);
  const orders = createRedisOrderStore(connection, lastingSettings);
  const holds = createRedisHoldStore(connection, lastingSettings);
  return createAccountIndex(connection, accounts, orders, holds);
}
