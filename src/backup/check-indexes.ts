import { HoldState } from "../../gen/store/v1/store_pb.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import {
  accountOfEndedOrdersKey,
  endedAccountsKey,
  endedOrdersKey,
  holdIndexKey,
  holdsKey,
  orderIndexKey,
  ordersKey,
  petIdsKey,
  stockKeys,
} from "../stores/redis/keys.ts";
import { loadScript, loadWriteScript } from "../stores/redis/scripts.ts";
import { lastingSettings, loadChangeScript } from "../stores/redis/stock/inventory-store.ts";
import { type Found, scanned } from "./finding.ts";
import { type DataRecord, isPetId, parseHold } from "./records.ts";

/** The most pets that one command compares. It takes Redis about half a millisecond. */
const petsAtOnce = 250;

/** The most orders that one command compares. It takes Redis about a millisecond. */
const ordersAtOnce = 250;

/** The accounts whose ended orders are checked at the same time, because most have few. */
const accountsAtOnce = 50;

/** The most holds or entries that one command compares. Each hold can have 100 pets. */
const holdsAtOnce = 50;

/** The most active holds of a pet that one command adds up. It takes Redis a few milliseconds. */
const mostAdded = 5_000;

/** The fields of the holds that count them, in addition to the held units of each pet (see hold.lua). */
const counters = ["units", "confirmed", "released", "expired"];

/**
 * Makes a check of the indexes and sums of the stock, while clients change it. Records say which entries must be there,
 * and entries say which records. A script compares what is stored when it runs, and repairs in the same step. Memory
 * grows with the number of held pets and of accounts with ended orders; of all other data, a page is in memory.
 *
 * @param found called with each disagreement
 */
export function createIndexCheck(connection: Connection, found: Found) {
  const checkPets = loadScript(connection, "check-pets");
  const repairPets = loadWriteScript(connection, "check-pets");
  const checkOrders = loadScript(connection, "check-orders");
  const repairOrders = loadWriteScript(connection, "check-orders");
  const checkHolds = loadChangeScript(connection, lastingSettings, "alone", "check-holds");
  const checkUnits = loadChangeScript(connection, lastingSettings, "alone", "check-held-units");
  /** The held units of each pet, by the field that counts them. */
  const held = new Map<string, number>();
  /** How they are counted, by field. */
  const counted = new Map<string, string>();
  const withEndedOrders = new Set<string>();

  async function pets(petIds: readonly string[], problem: string): Promise<void> {
    for (let at = 0; at < petIds.length; at += petsAtOnce) {
      const wrong = await checkPets(stockKeys, ["check", ...petIds.slice(at, at + petsAtOnce)]);
      for (const petId of wrong as readonly string[]) {
        await found(`pet ${petId} ${problem}`, () => repairPets(stockKeys, ["repair", petId]));
      }
    }
  }

  async function holds(names: readonly string[], problemOf: (name: string) => string) {
    for (let at = 0; at < names.length; at += holdsAtOnce) {
      const wrong = await checkHolds({}, ["check", ...names.slice(at, at + holdsAtOnce)]);
      for (const name of wrong as readonly string[]) {
        await found(problemOf(name), () => checkHolds({}, ["repair", name]));
      }
    }
  }

  /** Checks orders of accounts. @param exist whether to report those that exist, or the others */
  async function orders(
    entries: readonly (readonly [id: string, accountId: string])[],
    exist: boolean,
  ) {
    const byAccount = Map.groupBy(entries, ([, accountId]) => accountId);
    const compared = [...byAccount].map(async ([accountId, own]) => {
      const args = ["check", accountId, ...own.map(([id]) => id)];
      const wrong = (await checkOrders(orderKeys(accountId), args)) as readonly string[];
      return { accountId, wrong: wrong.filter((order) => order.includes(",") === exist) };
    });
    for (const { accountId, wrong } of await Promise.all(compared)) {
      const [first, ...others] = wrong;
      if (first === undefined) continue;
      const which = others.length === 0 ? "is" : `and ${others.length} more are`;
      const problem = exist
        ? "not in an index of orders, or in a wrong place"
        : "in an index of orders, but missing";
      const args = ["repair", accountId, ...wrong.map((order) => order.slice(0, 19))];
      await found(
        `order ${withoutZeros(first.slice(0, 19))} of account ${accountId} ${which} ${problem}`,
        () => repairOrders(orderKeys(accountId), args),
      );
    }
  }

  /** Checks the ended orders of an account, and its place among the accounts with ended orders. */
  async function endedOrders(accountId: string): Promise<void> {
    for await (const page of scanned(connection, endedOrdersKey(accountId), "zset")) {
      const ids = page.map(([id]) => [id, accountId] as const);
      await orders(ids, false);
    }
    const keys = orderKeys(accountId);
    const wrong = (await checkOrders(keys, ["check", accountId])) as readonly string[];
    if (wrong.length === 0) return;
    const problem = `account ${accountId} is not in its place among the accounts with ended orders`;
    await found(problem, () => repairOrders(keys, ["repair", accountId]));
  }

  /** Reports entries that a set can never have. @returns the others */
  async function possible(
    key: string,
    page: readonly (readonly string[])[],
    is: (entry: string) => boolean,
  ) {
    const entries = page.flatMap(([entry]) => entry ?? []);
    for (const entry of entries.filter((each) => !is(each))) {
      await found(`${key} has the entry ${entry}, which cannot be`, () =>
        connection.change(key, (redis) => redis.zrem(key, entry)),
      );
    }
    return entries.filter(is);
  }

  async function petIndex(): Promise<void> {
    for await (const page of scanned(connection, petIdsKey, "zset")) {
      const isPet = (entry: string) => isPetId(withoutZeros(entry)) && entry.length === 19;
      const entries = await possible(petIdsKey, page, isPet);
      await pets(entries.map(withoutZeros), "is in the index, but not in the stock");
    }
  }

  async function orderIndexes(): Promise<void> {
    for await (const page of scanned(connection, orderIndexKey, "zset")) {
      const isOrder = (entry: string) => /^\d{19},./.test(entry);
      const entries = await possible(orderIndexKey, page, isOrder);
      const ids = entries.map((entry) => [entry.slice(0, 19), entry.slice(20)] as const);
      await orders(ids, false);
    }
    for await (const page of scanned(connection, endedAccountsKey, "zset")) {
      for (const [accountId] of page) withEndedOrders.add(accountId);
    }
    const accountIds = [...withEndedOrders];
    for (let at = 0; at < accountIds.length; at += accountsAtOnce) {
      await Promise.all(accountIds.slice(at, at + accountsAtOnce).map(endedOrders));
    }
  }

  async function heldUnits(): Promise<void> {
    for (const [name, value] of counted) {
      if (isPetId(name.slice(1)) && name.startsWith("p")) continue;
      if (!counters.includes(name)) await found(`the field ${name} of the holds is unknown`);
      else if (!/^\d{1,15}$/.test(value))
        await found(`the field ${name} of the holds cannot be read`);
    }
    const fields = new Set([...held.keys(), ...counted.keys()]);
    for (const field of fields) {
      const pet = field.slice(1);
      if (!field.startsWith("p") || !isPetId(pet)) continue;
      if (counted.get(field) === String(held.get(field))) continue;
      // They may have changed in the meantime.
      const wrong = (await checkUnits({}, ["check", mostAdded, pet])) as readonly string[];
      for (const text of wrong) {
        const [, count, units] = text.split(" ");
        await found(
          `pet ${pet} is counted with ${count} held units, but its holds have ${units}`,
          () => checkUnits({}, ["repair", mostAdded, pet]),
        );
      }
    }
    const sum = held.values().reduce((all, units) => all + units, 0);
    const all = counted.get("units") ?? "0";
    const missing = sum - Number(all);
    if (missing === 0) return;
    await found(`${all} held units are counted, but those of each pet are ${sum} in all`, () =>
      // Other holds can change in the meantime.
      connection.change(holdsKey, (redis) =>
        Number.isNaN(missing)
          ? redis.hset(holdsKey, "units", sum)
          : redis.hincrby(holdsKey, "units", missing),
      ),
    );
  }

  return {
    /** Remembers which accounts have ended orders. */
    addKeys(names: readonly string[]): void {
      for (const name of names) {
        const accountId = accountOfEndedOrdersKey(name);
        if (accountId !== undefined) withEndedOrders.add(accountId);
      }
    },

    /** Adds fields that count held units or ended holds. */
    addCounts(fields: readonly (readonly [name: string, value: string])[]): void {
      for (const [name, value] of fields) counted.set(name, value);
    },

    /** Checks whether the indexes have what follows from records. */
    async check(records: readonly DataRecord[]): Promise<void> {
      const items = records.flatMap((record) =>
        "item" in record && isPetId(record.item) ? [record.item] : [],
      );
      await pets(items, "is in the stock, but not in the index");
      const entries = records.flatMap((record) =>
        "order" in record ? [[record.order.slice(0, 19), record.of] as const] : [],
      );
      for (let at = 0; at < entries.length; at += ordersAtOnce) {
        await orders(entries.slice(at, at + ordersAtOnce), true);
      }
      const valid = records.flatMap((record) => ("hold" in record && parseHold(record)) || []);
      for (const { petId, quantity } of valid.flatMap(({ state, items }) =>
        state === HoldState.ACTIVE ? items : [],
      )) {
        held.set(`p${petId}`, (held.get(`p${petId}`) ?? 0) + quantity);
      }
      const names = valid.map(({ of, holdId }) => `${of}/${holdId}`);
      await holds(names, (name) => `hold ${name} is not in the index, or in a wrong place`);
    },

    /** Checks whether the indexes have anything else, and the sums. Call it after the last record. */
    async end(): Promise<void> {
      await petIndex();
      await orderIndexes();
      for await (const page of scanned(connection, holdIndexKey, "zset")) {
        const entries = page.map(([entry]) => entry);
        await holds(entries, (entry) => `the entry ${entry} of the index of the holds has no hold`);
      }
      await heldUnits();
    },
  };
}

function withoutZeros(id: string): string {
  return id.replace(/^0+(?=.)/, "");
}

/** Returns the keys of check-orders.lua. */
function orderKeys(accountId: string): string[] {
  return [ordersKey(accountId), endedOrdersKey(accountId), orderIndexKey, endedAccountsKey];
}
