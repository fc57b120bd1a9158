import type { Redis } from "ioredis";
import { HoldState } from "../../gen/store/v1/store_pb.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import * as keys from "../stores/redis/keys.ts";
import { loadWriteScript } from "../stores/redis/scripts.ts";
import { lastingSettings, loadChangeScript } from "../stores/redis/stock/change-script.ts";
import type { Found } from "./finding.ts";
import { scanned } from "./read-data.ts";
import { type DataRecord, isPetId, paddedId, parseHold } from "./records.ts";

/** The most entries that one command compares. It takes Redis about a millisecond. */
const entriesAtOnce = 250;

/** The most active holds of a pet that one command adds up. It takes Redis a few milliseconds. */
const mostAdded = 5_000;

/** A field of the holds that counts them, or held units of a pet (see hold-record.lua). */
const countField = /^(?:units|confirmed|released|expired|p([1-9]\d{0,18}))$/;

/** Compares entries with the stored data, and repairs them in the same step if asked. @returns the entries that differ */
type Compare = (mode: "check" | "repair", entries: readonly string[]) => Promise<unknown>;

/**
 * Makes a check of the indexes and sums of the stock, while clients change it. Records say which entries must be there,
 * and entries say which records. Memory grows with the number of held pets and of accounts with ended orders.
 */
export function createIndexCheck(connection: Connection, found: Found) {
  const checkPets = loadWriteScript(connection, "check-pets");
  const checkOrders = loadWriteScript(connection, "check-orders");
  const checkEnded = loadWriteScript(connection, "check-ended-accounts");
  const checkHolds = loadChangeScript(connection, lastingSettings, "alone", "check-holds");
  const checkHeldUnits = loadChangeScript(connection, lastingSettings, "alone", "check-held-units");
  /** The held units of each pet, by the field that counts them. */
  const held = new Map<string, number>();
  /** How they are counted, by field. */
  const counted = new Map<string, string>();
  const withEndedOrders = new Set<string>();
  const compare = comparer(found);
  // A hold can have 100 pets.
  const compareHolds = comparer(found, 50);

  const pets: Compare = (mode, entries) => checkPets(keys.stockKeys, [mode, ...entries]);
  const holds: Compare = (mode, entries) => checkHolds({}, [mode, ...entries]);
  const heldUnits: Compare = (mode, petIds) => checkHeldUnits({}, [mode, mostAdded, ...petIds]);
  const ended: Compare = (mode, ids) =>
    checkEnded([keys.endedAccountsKey, ...ids.map(keys.endedOrdersKey)], [mode, ...ids]);

  /** @param which to report. @param entries those of the index of orders */
  async function orders(which: "there" | "missing", entries: readonly string[]): Promise<void> {
    const problem =
      which === "there"
        ? "is not in an index of orders, or in a wrong place"
        : "is in an index of orders, but missing";
    const compared = Map.groupBy(entries, (entry) => entry.slice(20))
      .entries()
      .map(([of, own]) => {
        const sets = [keys.ordersKey(of), keys.endedOrdersKey(of), keys.orderIndexKey];
        const send: Compare = (mode, some) => checkOrders(sets, [mode, which, ...some]);
        const idOf = (entry: string) => withoutZeros(entry.slice(0, 19));
        return compare(send, own, (entry) => `order ${idOf(entry)} of account ${of}`, problem);
      });
    await Promise.all(compared);
  }

  async function endedOrders(): Promise<void> {
    await eachPage(connection, keys.endedAccountsKey, async (accountIds) => {
      for (const accountId of accountIds) withEndedOrders.add(accountId);
    });
    const accountIds = [...withEndedOrders];
    const checkOwn = (of: string) =>
      eachPage(connection, keys.endedOrdersKey(of), (ids) => {
        const entries = ids.map((id) => `${id},${of}`);
        return orders("missing", entries);
      });
    for (let at = 0; at < accountIds.length; at += entriesAtOnce) {
      await Promise.all(accountIds.slice(at, at + entriesAtOnce).map(checkOwn));
    }
    const problem = "is not in its place among the accounts with ended orders";
    await compare(ended, accountIds, (accountId) => `account ${accountId}`, problem);
  }

  async function checkUnits(): Promise<void> {
    for (const field of new Set([...held.keys(), ...counted.keys()])) {
      const [isKnown, pet = ""] = countField.exec(field) ?? [];
      const value = counted.get(field) ?? "";
      if (!isKnown) await found(`the field ${field} of the holds is unknown`);
      else if (pet === "" && !/^\d{1,15}$/.test(value)) {
        await found(`the field ${field} of the holds cannot be read`);
      } else if (pet !== "" && value !== String(held.get(field))) {
        // They may have changed in the meantime.
        await compare(heldUnits, [pet], (text) => `pet ${text}`);
      }
    }
    const sum = held.values().reduce((all, each) => all + each, 0);
    const all = counted.get("units") ?? "0";
    const missing = sum - Number(all);
    if (missing === 0) return;
    // Other holds can change in the meantime.
    const correct = (redis: Redis) =>
      Number.isNaN(missing)
        ? redis.hset(keys.holdsKey, "units", sum)
        : redis.hincrby(keys.holdsKey, "units", missing);
    const problem = `${all} held units are counted, but those of each pet are ${sum} in all`;
    await found(problem, () => connection.change(keys.holdsKey, correct));
  }

  return {
    /** Remembers which accounts have ended orders. @param names of all keys */
    addKeys(names: readonly string[]): void {
      for (const id of names.flatMap((name) => keys.accountOfEndedOrdersKey(name) ?? [])) {
        withEndedOrders.add(id);
      }
    },
    addCounts(fields: readonly (readonly [name: string, value: string])[]): void {
      for (const [name, value] of fields) counted.set(name, value);
    },
    /** Checks whether the indexes have what follows from records. */
    async check(records: readonly DataRecord[]): Promise<void> {
      const items = records.flatMap((record) =>
        "item" in record && isPetId(record.item) ? paddedId(record.item) : [],
      );
      await compare(pets, items, petName, "is in the stock, but not in its place in the index");
      const entries = records.flatMap((record) =>
        "order" in record ? `${record.order.slice(0, 19)},${record.of}` : [],
      );
      await orders("there", entries);
      const valid = records.flatMap((record) => ("hold" in record && parseHold(record)) || []);
      for (const { state, items } of valid) {
        for (const { petId, quantity } of state === HoldState.ACTIVE ? items : []) {
          held.set(`p${petId}`, (held.get(`p${petId}`) ?? 0) + quantity);
        }
      }
      const names = valid.map(({ of, holdId }) => `${of}/${holdId}`);
      const problem = "is not in the index, or in a wrong place";
      await compareHolds(holds, names, (name) => `hold ${name}`, problem);
    },
    /** Checks whether the indexes have anything else, and the sums. Call it after the last record. */
    async end(): Promise<void> {
      const unknown = "is in the index, but not in the stock";
      await eachPage(connection, keys.petIdsKey, (entries) =>
        compare(pets, entries, petName, unknown),
      );
      await eachPage(connection, keys.orderIndexKey, (entries) => orders("missing", entries));
      await endedOrders();
      const nameOf = (entry: string) => `the entry ${entry} of the index of the holds`;
      await eachPage(connection, keys.holdIndexKey, (entries) =>
        compareHolds(holds, entries, nameOf, "has no hold"),
      );
      await checkUnits();
    },
  };
}

const withoutZeros = (id: string) => id.replace(/^0+(?=.)/, "");
const petName = (entry: string) => `pet ${withoutZeros(entry)}`;

/** Returns what compares entries and reports the first wrong ones. @param atOnce the most that one command compares */
export function comparer(found: Found, atOnce = entriesAtOnce) {
  return async (
    send: Compare,
    entries: readonly string[],
    nameOf: (entry: string) => string,
    problem = "",
  ): Promise<void> => {
    for (let at = 0; at < entries.length; at += atOnce) {
      const wrong = (await send("check", entries.slice(at, at + atOnce))) as string[];
      const [first, ...others] = wrong;
      if (first === undefined) continue;
      const more = others.length > 0 ? ` (and ${others.length} more)` : "";
      await found(`${nameOf(first)} ${problem}`.trimEnd() + more, () => send("repair", wrong));
    }
  };
}

/** Calls `check` with the members of a sorted set, page by page. */
async function eachPage(redis: Connection, key: string, check: (of: string[]) => Promise<void>) {
  for await (const page of scanned(redis, key, "zset")) {
    await check(page.map(([member]) => member));
  }
}
