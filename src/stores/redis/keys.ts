import { crc32 } from "node:zlib";
import type { AddressCounter } from "../../access/address-counters.ts";
import { dayMs, hourMs } from "../../common/durations.ts";
import { storedDays, storedHours, type TopOrder } from "../usage-store.ts";

/**
 * All keys that the service uses in Redis. The hash tag in braces decides on the slot in a Redis Cluster. An account's
 * plan, API keys and counters share a slot, so that one script can use them. So do the stock and all orders.
 */

/**
 * The number of partitions of the accounts, each of which is a slot. In a cluster, the accounts of a partition share script
 * calls, so there are at most this many for the requests of an event-loop tick, and this many primaries with accounts. The
 * number is part of the format of the data: it cannot be changed.
 */
export const accountPartitions = 64;

/** String: the number of the data's format (see format.ts). */
export const formatKey = "inv:format";

/** String: the id of the restore that is running. It expires soon after the restore was killed. */
export const restoreKey = "inv:restore";

export function partitionOf(accountId: string): number {
  return crc32(accountId) % accountPartitions;
}

/** Hash of an account: `name`, `plan`, `created`, `keys` (their number), and its API keys (see accounts.lua). */
export function accountKey(accountId: string): string {
  return `inv:{a${partitionOf(accountId)}}:${accountId}`;
}

/** String: the account's two windows, packed (see window.lua). */
export function accountWindowsKey(accountId: string): string {
  return `${accountKey(accountId)}:windows`;
}

/** String: the window of an API key's refused requests, packed (see window.lua). */
export function refusalsKey(accountId: string, keyHash: string): string {
  return `${accountKey(accountId)}:refusals:${keyHash}`;
}

/** All keys that decide on a request with an API key. The first is that of its account. */
export type AdmissionKeys = readonly [account: string, windows: string, refusals: string];

/** Returns all keys that decide on a request with an API key. */
export function admissionKeys(accountId: string, keyHash: string): AdmissionKeys {
  const account = accountKey(accountId);
  return [account, `${account}:windows`, `${account}:refusals:${keyHash}`];
}

/**
 * Hash: the requests of an account on a day, counted from the epoch. A field is a key's id, or nothing for all other keys,
 * and `a` (admitted), `l` (limited) or `b` (banned). It expires.
 */
export function dayUsageKey(accountId: string, day: number): string {
  return `${accountKey(accountId)}:day:${day}`;
}

/** Hash: the requests of an account in an hour, by minute and outcome: `59l` has those limited in the last minute. */
export function hourUsageKey(accountId: string, hour: number): string {
  return `${accountKey(accountId)}:hour:${hour}`;
}

/** Returns the keys of all stored requests of an account. The clock of Redis can differ by an hour from `now`. */
export function usageKeys(accountId: string, now: number): string[] {
  const day = Math.floor(now / dayMs);
  const hour = Math.floor(now / hourMs);
  return [
    ...Array.from({ length: storedDays + 2 }, (_, age) => dayUsageKey(accountId, day + 1 - age)),
    ...Array.from({ length: storedHours + 3 }, (_, age) => hourUsageKey(accountId, hour + 1 - age)),
  ];
}

/** Sorted set of the accounts of a partition, by all or refused requests of a day, counted from the epoch. It expires. */
export function topAccountsKey(partition: number, order: TopOrder, day: number): string {
  return `inv:{a${partition}}:top-${order}:${day}`;
}

/** Returns the keys of all lists of top accounts that can have an account. `now` is as for {@link usageKeys}. */
export function topKeys(accountId: string, now: number): string[] {
  const partition = partitionOf(accountId);
  const day = Math.floor(now / dayMs);
  return [day + 1, day, day - 1].flatMap((each) => [
    topAccountsKey(partition, "requests", each),
    topAccountsKey(partition, "refused", each),
  ]);
}

/** Sorted set of the banned keys of a partition's accounts, by the end of the ban, also if it was lifted. */
export function bansKey(partition: number): string {
  return `inv:{a${partition}}:bans`;
}

/** String: the two windows of an address counter, packed (see window.lua). */
export function addressWindowsKey(counter: Pick<AddressCounter, "partition" | "index">): string {
  return `inv:{address:${counter.partition}}:${counter.index}`;
}

/** Sorted set of all account ids, by time of creation. The account's hash decides whether it exists. */
export const accountIndexKey = "inv:{accounts}";

/** Sorted set of deleted accounts, by time of deletion. If an account is also in its partition, a failover undid that. */
export const deletedAccountsKey = "inv:{accounts}:deleted";

/** Hash of the stock: pet id to `<quantity>,<status>,<version>`. */
export const itemsKey = "inv:{stock}:items";

/** Sorted set of all pet ids. They have leading zeros, to 19 digits, so that their order is numeric. */
export const petIdsKey = "inv:{stock}:pets";

/** Hash of pet id to `<SKU>`, a tab, and `<name>`, without the pets that have neither (see catalog.lua). */
export const petNamesKey = "inv:{stock}:names";

/** Hash of SKU to pet id. */
export const skusKey = "inv:{stock}:skus";

/** Stream of the changes of the catalogue (see catalog.lua). */
export const catalogChangesKey = "inv:{stock}:catalog-changes";

/** String: the id `<version>-<number>` of the newest entry of the history, also after that is removed (see history.lua). */
export const newestChangeKey = "inv:{stock}:newest-change";

/** String: `<run> <lead>`: the run of the server of the newest change, and its lead in microseconds (see change.lua). */
export const stockRunKey = "inv:{stock}:run";

/** Stream of the changes in the history (see history.lua). */
export const stockChangesKey = "inv:{stock}:changes";

/** The consumer group of that stream whose last id is where the history was trimmed (see history.lua). */
export const trimPoint = "trimmed";

/**
 * Stream of the newest revocations, at least {@link storedRevocations}: keys, or accounts for all of their keys, in the
 * field `id`. It is in the slot of the changes, so that a watch sees both in order.
 */
export const revocationsKey = "inv:{stock}:revocations";

/** Many more than are made while a process reads changes. After a failure, it checks all keys of its watches. */
export const storedRevocations = 1_000;

/** String: the outcome of a request (see outcome.lua), by the hash of the idempotency key, which clients choose freely. */
export function outcomeKey(accountId: string, keyHash: string): string {
  return `inv:{stock}:outcome:${accountId}:${keyHash}`;
}

/** String: the last order id (see place_order in orders.lua). */
export const lastOrderKey = "inv:{stock}:last-order";

/** Sorted set of an account's orders by id (see orders.lua). */
export function ordersKey(accountId: string): string {
  return `inv:{stock}:account-orders:${accountId}`;
}

/** Sorted set of the orders of all accounts: `<order id>,<account id>` (see orders.lua). */
export const orderIndexKey = "inv:{stock}:orders";

/** Sorted set of an account's delivered and cancelled orders, by when they ended (see orders.lua). */
export function endedOrdersKey(accountId: string): string {
  return `inv:{stock}:ended-orders:${accountId}`;
}

/** Sorted set of the accounts with delivered or cancelled orders, by when the first of these ended. */
export const endedAccountsKey = "inv:{stock}:ended-orders";

/** String: when the last order ended that was removed because of its age, in milliseconds since the epoch. */
export const removedOrdersKey = "inv:{stock}:removed-orders";

/** String: exists while no process may remove orders, because one has just removed some. It expires at once. */
export const orderRemovalKey = "inv:{stock}:order-removal";

/** String: when the orders of an account were deleted. It expires. Until then, the account cannot place orders. */
export function deletedAccountKey(accountId: string): string {
  return `inv:{stock}:deleted-account:${accountId}`;
}

/** Hash of the holds of all accounts, and of the units that they have (see hold-record.lua). */
export const holdsKey = "inv:{stock}:holds";

/** Sorted set: in which order holds expire and are listed, and which pets they have (see hold-record.lua). */
export const holdIndexKey = "inv:{stock}:hold-index";

/** String: the process that sweeps the holds. It expires soon after the process has ended. */
export const holdSweeperKey = "inv:{stock}:hold-sweeper";

/** String: how far a follower has got, by its name (see places.lua). */
export function placeKey(name: string): string {
  return `inv:{stock}:place:${name}`;
}

/** String: the process that has the name of a follower. It expires soon after the process was killed. */
export function placeLeaseKey(name: string): string {
  return `inv:{stock}:place-lease:${name}`;
}

/** Stream of the entries of the audit trail (see audit.lua). */
export const auditEntriesKey = "inv:{audit}:entries";

/** One key of each kind, to check what a user may do. */
export const keySamples: readonly string[] = [
  formatKey,
  restoreKey,
  accountIndexKey,
  deletedAccountsKey,
  accountKey(""),
  accountWindowsKey(""),
  refusalsKey("", ""),
  dayUsageKey("", 0),
  hourUsageKey("", 0),
  topAccountsKey(0, "requests", 0),
  topAccountsKey(0, "refused", 0),
  bansKey(0),
  addressWindowsKey({ partition: 0, index: 0 }),
  itemsKey,
  petIdsKey,
  petNamesKey,
  skusKey,
  catalogChangesKey,
  newestChangeKey,
  stockRunKey,
  stockChangesKey,
  revocationsKey,
  outcomeKey("", ""),
  lastOrderKey,
  ordersKey(""),
  orderIndexKey,
  endedOrdersKey(""),
  endedAccountsKey,
  removedOrdersKey,
  orderRemovalKey,
  deletedAccountKey(""),
  holdsKey,
  holdIndexKey,
  holdSweeperKey,
  placeKey("relay:erp"),
  placeLeaseKey("relay:erp"),
  auditEntriesKey,
];

/** Return the account whose hash, orders or ended orders are stored under a key; undefined for other keys. */
export const accountOfKey = accountIn(/^inv:\{a\d+\}:([^:]{12})$/);
export const accountOfOrdersKey = accountIn(/^inv:\{stock\}:account-orders:(.+)$/);
export const accountOfEndedOrdersKey = accountIn(/^inv:\{stock\}:ended-orders:(.+)$/);

function accountIn(form: RegExp): (key: string) => string | undefined {
  return (key) => form.exec(key)?.[1];
}

/** Keys of every script on the stock, in the order that stock.lua expects. */
export const stockKeys = [itemsKey, petIdsKey, newestChangeKey, stockChangesKey] as const;

/** Keys of the catalogue, in the order that catalog.lua expects. */
export const catalogKeys = [petNamesKey, skusKey, catalogChangesKey] as const;
