import type { AddressCounter } from "../access/address-counters.ts";

/**
 * Every key that the service uses in Redis. What one caller or one change needs carries one hash tag, so that
 * it lies in one slot of a Redis Cluster: an account's plan, keys and counters; the stock and all orders.
 */

/**
 * Hash of an account: `name`, `plan`, `created`, `keys` (how many), and for each API key `<key hash>`
 * (what admission reads and writes, see key.lua) and `i:<key id>` (the rest).
 */
export function accountKey(accountId: string): string {
  return `inv:{${accountId}}`;
}

/** String: the account's two windows, packed (see window.lua). */
export function accountWindowsKey(accountId: string): string {
  return `inv:{${accountId}}:windows`;
}

/** String: the window of an API key's refused requests, packed (see window.lua). */
export function refusalsKey(accountId: string, keyHash: string): string {
  return `inv:{${accountId}}:refusals:${keyHash}`;
}

/** String: the two windows of a counter of addresses, packed (see window.lua). */
export function addressWindowsKey({ partition, index }: AddressCounter): string {
  return `inv:{address:${partition}}:${index}`;
}

/** Sorted set of all account ids, by time of creation. */
export const accountIndexKey = "inv:{accounts}";

/** Hash of the stock: pet id to `<quantity>,<status>,<version>`. */
export const itemsKey = "inv:{stock}:items";

/** Sorted set of all pet ids, padded with zeros to 19 digits so that their order is numeric. */
export const petIdsKey = "inv:{stock}:pets";

/**
 * String: the id `<version>-<number>` of the newest entry of the history (see history.lua). It stays when the
 * entry is removed.
 */
export const newestChangeKey = "inv:{stock}:newest-change";

/** Stream of all changes, as far as they are remembered (see history.lua). */
export const stockChangesKey = "inv:{stock}:changes";

/**
 * String: the answer to a request with an idempotency key (see answer.lua).
 *
 * @param keyHash of the idempotency key, which is the client's and can be anything
 */
export function answerKey(accountId: string, keyHash: string): string {
  return `inv:{stock}:answer:${accountId}:${keyHash}`;
}

/** Counter: the last order id. */
export const lastOrderKey = "inv:{stock}:last-order";

/** Sorted set of an account's orders by id (see order.lua). */
export function ordersKey(accountId: string): string {
  return `inv:{stock}:account-orders:${accountId}`;
}
