import { append } from "../../../common/append.ts";
import {
  type KeyDay,
  mostRequestsFirst,
  noRequests,
  otherKeys,
  reportedKeys,
  sumOf,
} from "../../usage-store.ts";

/** Days that are read at once. Each can have thousands of fields, which take the process some milliseconds. */
const daysAtOnce = 4;

/** The most days in the cache: about 15 MB. */
const maxCached = 1_000;

/**
 * Makes a reader of the requests of an account on days that are over. It caches days with many keys: reading 30 of them for
 * each call would keep the process from its other requests. Calls at the same time share the work.
 */
export function createPastDays(read: (accountId: string, day: number) => Promise<KeyDay[]>) {
  const cache = new Map<string, Promise<readonly KeyDay[]>>();

  function readDay(accountId: string, day: number): Promise<readonly KeyDay[]> {
    const id = `${accountId} ${day}`;
    const known = cache.get(id);
    if (known) return known;
    const reading = read(accountId, day).then(
      (keys) => {
        if (keys.length <= reportedKeys) cache.delete(id);
        return withFewKeys(keys);
      },
      (error: unknown) => {
        cache.delete(id);
        throw error;
      },
    );
    cache.set(id, reading);
    const [oldest] = cache.keys();
    if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
    return reading;
  }

  return async (accountId: string, days: readonly number[]) => {
    const found: (readonly KeyDay[])[] = [];
    for (let at = 0; at < days.length; at += daysAtOnce) {
      const some = days.slice(at, at + daysAtOnce);
      append(found, await Promise.all(some.map((day) => readDay(accountId, day))));
    }
    return found;
  };
}

/** Adds up the requests of all keys but those with the most. Reports do not show the others. */
function withFewKeys(keys: readonly KeyDay[]): readonly KeyDay[] {
  if (keys.length <= reportedKeys) return keys;
  const own = keys.filter(({ keyId }) => keyId !== otherKeys).sort(mostRequestsFirst);
  const shown = own.slice(0, reportedKeys);
  const rest = [...own.slice(reportedKeys), ...keys.filter(({ keyId }) => keyId === otherKeys)];
  const requests = rest.map((key) => key.requests).reduce(sumOf, noRequests);
  return [...shown, { keyId: otherKeys, requests }];
}
