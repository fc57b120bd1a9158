import type { Connection } from "../stores/redis/connection/connection.ts";
import {
  accountOfEndedOrdersKey,
  accountOfOrdersKey,
  endedAccountsKey,
  endedOrdersKey,
  itemsKey,
  orderCountKey,
  orderIndexKey,
  ordersKey,
  petIdsKey,
  stockKeys,
} from "../stores/redis/keys.ts";
import { loadScript, loadWriteScript } from "../stores/redis/scripts.ts";
import { entriesAtOnce, type Finding, scanned } from "./finding.ts";
import { isPetId, paddedId } from "./records.ts";

/** Compares the items with the index of the pets, in both directions. */
export async function* itemFindings(connection: Connection): AsyncGenerator<Finding> {
  const indexPets = loadWriteScript(connection, "index-pets");
  const repair = (petId: string) => () => indexPets(stockKeys, [petId]);
  for await (const items of scanned(connection, itemsKey, "hash")) {
    const petIds = items.map(([petId]) => petId);
    const scores = await connection.run(petIdsKey, (redis) =>
      redis.zmscore(petIdsKey, ...petIds.map(paddedId)),
    );
    for (const [at, petId] of petIds.entries()) {
      if (!isPetId(petId)) {
        yield { problem: `pet ${petId} of the stock is not a pet id` };
      } else if (scores[at] === null && (await hasItem(connection, petId))) {
        const problem = `pet ${petId} is in the stock, but not in the index`;
        yield { problem, isHidden: true, repair: repair(petId) };
      }
    }
  }
  for await (const page of scanned(connection, petIdsKey, "zset")) {
    const pets = page.map(([pet, score]) => ({ pet, petId: pet.replace(/^0+/, ""), score }));
    const petIds = pets.map(({ petId }) => petId);
    const items = await connection.run(itemsKey, (redis) => redis.hmget(itemsKey, ...petIds));
    for (const [at, { pet, petId, score }] of pets.entries()) {
      if (pet !== paddedId(petId) || !isPetId(petId)) {
        const remove = () => connection.change(petIdsKey, (redis) => redis.zrem(petIdsKey, pet));
        yield { problem: `${pet} in the index of pets is not a pet id`, repair: remove };
      } else if (items[at] === null) {
        const problem = `pet ${petId} is in the index, but not in the stock`;
        yield { problem, isInRecords: true, repair: repair(petId) };
      } else if (Number(score) !== 0) {
        const problem = `pet ${petId} is in the wrong place of the index`;
        yield { problem, isHidden: true, repair: repair(petId) };
      }
    }
  }
}

/** Whether a pet is in the stock and still lacks an entry in the index: both change together. */
async function hasItem(connection: Connection, petId: string): Promise<boolean> {
  const [item, score] = await connection.run(itemsKey, (redis) =>
    Promise.all([redis.hexists(itemsKey, petId), redis.zscore(petIdsKey, paddedId(petId))]),
  );
  return item === 1 && score === null;
}

/**
 * Makes a check of the lists of orders among a page of keys: whether the index of all orders has each order, and whether
 * exactly the ended ones are among the ended orders of the account.
 */
export function createOrdersCheck(connection: Connection) {
  const ordersOf = createPagedCheck(
    connection,
    "check-orders",
    (accountId) => [orderIndexKey, ...ownKeys(accountId)],
    "not in an index of orders, or in a wrong place",
  );
  const endedOrdersOf = createPagedCheck(
    connection,
    "check-ended-orders",
    ownKeys,
    "among the ended orders, but missing or in a wrong place",
  );

  return async function* (keys: readonly string[]): AsyncGenerator<Finding> {
    // At the same time, because most accounts have few orders.
    const found = keys.map(async (key) => {
      const accountId = accountOfOrdersKey(key);
      if (accountId !== undefined) return ordersOf(accountId);
      const ended = accountOfEndedOrdersKey(key);
      return ended === undefined ? [] : endedOrdersOf(ended);
    });
    for (const findings of await Promise.all(found)) yield* findings;
  };
}

function ownKeys(accountId: string): string[] {
  return [ordersKey(accountId), endedOrdersKey(accountId), endedAccountsKey];
}

/**
 * Makes a function that checks orders of an account, page by page. It returns at most one finding for each page.
 *
 * @param name its Lua file, without extension
 * @param problem what is wrong with the orders that it finds
 */
function createPagedCheck(
  connection: Connection,
  name: string,
  keysOf: (accountId: string) => string[],
  problem: string,
) {
  const check = loadScript(connection, name);
  const repair = loadWriteScript(connection, name);
  return async (accountId: string): Promise<Finding[]> => {
    const findings: Finding[] = [];
    const keys = keysOf(accountId);
    for (let from: string | undefined = ""; from !== undefined; ) {
      const args = [accountId, from, entriesAtOnce];
      const [next, first, ...others] = (await check(keys, [...args, "check"])) as readonly string[];
      from = next || undefined;
      if (first === undefined) continue;
      const which = others.length === 0 ? "is" : `and ${others.length} more are`;
      findings.push({
        problem: `order ${orderOf(first)} of account ${accountId} ${which} ${problem}`,
        repair: () => repair(keys, [...args, "repair"]),
      });
    }
    return findings;
  };
}

/**
 * Checks that each entry of the index of all orders has its order, and that their number is right. Without the number, the
 * next list of all orders completes the index.
 */
export async function* orderIndexFindings(connection: Connection): AsyncGenerator<Finding> {
  const readOrders = loadScript(connection, "read-orders");
  const unindexOrder = loadWriteScript(connection, "unindex-order");
  const listOrderIds = loadScript(connection, "list-order-ids");
  const endOrderIndex = loadWriteScript(connection, "end-order-index");
  for await (const page of scanned(connection, orderIndexKey, "zset")) {
    const entries = page.map(([entry, score]) => {
      const [id = "", accountId = ""] = entry.split(",");
      return { entry, id, accountId, key: ordersKey(accountId), score: Number(score) };
    });
    const keys = entries.map(({ key }) => key);
    const ids = entries.map(({ id }) => id);
    const orders = (await readOrders(keys, ids)) as readonly (string | null)[];
    for (const [at, { entry, id, accountId, key, score }] of entries.entries()) {
      const remove = () => unindexOrder([orderIndexKey, key], [entry, id]);
      if (!orders[at] && (await isIndexed(connection, entry))) {
        const problem = `order ${orderOf(id)} of account ${accountId} is in the index of all orders, but does not exist`;
        yield { problem, repair: remove };
      } else if (orders[at] && score !== 0) {
        const add = () =>
          connection.change(orderIndexKey, (redis) => redis.zadd(orderIndexKey, "XX", 0, entry));
        const problem = `order ${orderOf(id)} is in the wrong place of the index of all orders`;
        yield { problem, repair: add };
      }
    }
  }
  const keys = [orderIndexKey, orderCountKey];
  const [isComplete] = (await listOrderIds(keys, ["+", 0])) as [number];
  const isCounted = await connection.run(orderCountKey, (redis) => redis.exists(orderCountKey));
  if (isComplete === 1 || isCounted === 0) return;
  yield {
    problem: "the index of all orders has another number of orders than was counted",
    repair: () => endOrderIndex(keys, []),
  };
}

/** Checks that each account among those with ended orders has some. */
export async function* endedAccountFindings(connection: Connection): AsyncGenerator<Finding> {
  const repair = loadWriteScript(connection, "check-ended-orders");
  for await (const page of scanned(connection, endedAccountsKey, "zset")) {
    for (const [accountId] of page) {
      const key = endedOrdersKey(accountId);
      const [score, exists] = await connection.run(key, (redis) =>
        Promise.all([redis.zscore(endedAccountsKey, accountId), redis.exists(key)]),
      );
      if (exists === 1 || score === null) continue;
      yield {
        problem: `account ${accountId} is among those with ended orders, but has none`,
        repair: () => repair(ownKeys(accountId), [accountId, "", 1, "repair"]),
      };
    }
  }
}

/** Whether an entry was not removed with its order in the meantime. */
async function isIndexed(connection: Connection, entry: string): Promise<boolean> {
  const score = await connection.run(orderIndexKey, (redis) => redis.zscore(orderIndexKey, entry));
  return score !== null;
}

/** Returns the id of an order without leading zeros. */
function orderOf(order: string): string {
  return order.replace(/^0+(?=.)|,.*$/gs, "");
}
