import { HoldState } from "../../gen/store/v1/store_pb.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import { holdIndexKey, holdsKey, newestChangeKey } from "../stores/redis/keys.ts";
import { lastingSettings, loadChangeScript } from "../stores/redis/stock/inventory-store.ts";
import { type Finding, scanned } from "./finding.ts";
import { isPetId, parseHold } from "./records.ts";

/** The most holds or entries that one command compares. Each hold can have 100 pets. */
const comparedAtOnce = 50;

/** The most active holds of a pet that one command adds up. It takes Redis a few milliseconds. */
const mostAdded = 5_000;

/** How often the held units of all pets are added up while they change. */
const attempts = 3;

/** The counters of ended holds (see hold.lua). */
const endings = ["confirmed", "released", "expired"] as const;

/**
 * Compares the holds with their index, in both directions, and with the numbers of held units. Due holds that still have
 * units are active here, as they are stored. The records of a snapshot show which holds have wrong contents.
 */
export async function* holdFindings(connection: Connection): AsyncGenerator<Finding> {
  const checkHolds = loadChangeScript(connection, lastingSettings, "alone", "check-holds");
  const checkUnits = loadChangeScript(connection, lastingSettings, "alone", "check-held-units");

  /** Finds the holds or entries that are wrong. */
  async function* wrong(asked: readonly string[], problemOf: (found: string) => string) {
    for (let at = 0; at < asked.length; at += comparedAtOnce) {
      const some = asked.slice(at, at + comparedAtOnce);
      for (const found of (await checkHolds({}, ["check", ...some])) as readonly string[]) {
        const repair = () => checkHolds({}, ["repair", found]);
        yield { problem: problemOf(found), isHidden: true, repair } satisfies Finding;
      }
    }
  }

  async function* wrongUnits(pets: readonly string[]): AsyncGenerator<Finding> {
    for (const pet of pets) {
      const found = (await checkUnits({}, ["check", mostAdded, pet])) as readonly string[];
      for (const text of found) {
        const [, counted, held] = text.split(" ");
        const problem = `pet ${pet} is counted with ${counted} held units, but its holds have ${held}`;
        yield { problem, repair: () => checkUnits({}, ["repair", mostAdded, pet]) };
      }
    }
  }

  for await (const page of scanned(connection, holdsKey, "hash")) {
    const records = page.filter(([name]) => name.includes("/"));
    const holds = records.flatMap(([hold, record]) => parseHold({ hold, record }) ?? []);
    const unreadable = records.filter(([hold, record]) => !parseHold({ hold, record }));
    for (const [hold] of unreadable) {
      yield { problem: `hold ${hold} cannot be read`, isHidden: true };
    }
    const names = holds.map(({ of, holdId }) => `${of}/${holdId}`);
    yield* wrong(names, (hold) => `hold ${hold} is not in the index, or in a wrong place`);
  }
  for await (const page of scanned(connection, holdIndexKey, "zset")) {
    const entries = page.map(([entry]) => entry);
    yield* wrong(entries, (entry) => `the entry ${entry} of the index of the holds has no hold`);
  }
  // Units are added up by the index, after its entries are repaired.
  for await (const page of scanned(connection, holdsKey, "hash")) {
    const counted: string[] = [];
    for (const [name, value] of page) {
      const pet = /^p(.*)$/.exec(name)?.[1];
      if (name.includes("/")) continue;
      if (pet !== undefined && isPetId(pet)) counted.push(pet);
      else if (!["units", ...endings].includes(name)) {
        yield { problem: `the field ${name} of the holds is unknown` };
      } else if (!/^\d{1,15}$/.test(value)) {
        yield { problem: `the field ${name} of the holds cannot be read` };
      }
    }
    yield* wrongUnits(counted);
    yield* wrongUnits(
      await uncounted(
        connection,
        page.flatMap(([hold, record]) => parseHold({ hold, record }) ?? []),
      ),
    );
  }
  yield* wrongSum(connection);
}

/** Returns the pets of active holds that no held units are counted of. */
async function uncounted(
  connection: Connection,
  holds: readonly NonNullable<ReturnType<typeof parseHold>>[],
): Promise<string[]> {
  const active = holds.filter(({ state }) => state === HoldState.ACTIVE);
  const pets = [...new Set(active.flatMap(({ items }) => items.map(({ petId }) => petId)))];
  if (pets.length === 0) return [];
  const fields = pets.map((pet) => `p${pet}`);
  const counts = await connection.run(holdsKey, (redis) => redis.hmget(holdsKey, ...fields));
  return pets.filter((_, at) => counts[at] === null);
}

/** Compares the held units of all pets with their sum, unless they change all the time. */
async function* wrongSum(connection: Connection): AsyncGenerator<Finding> {
  /** Returns the sum, and what changes with the held units of any pet. */
  const read = () =>
    connection.run(holdsKey, (redis) =>
      Promise.all([redis.hmget(holdsKey, "units", ...endings), redis.get(newestChangeKey)]),
    );
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const before = await read();
    const counts = new Map<string, number>();
    for await (const page of scanned(connection, holdsKey, "hash")) {
      for (const [name, count] of page) if (/^p\d+$/.test(name)) counts.set(name, Number(count));
    }
    if (String(await read()) !== String(before)) continue;
    const [[units]] = before;
    let sum = 0;
    for (const count of counts.values()) sum += count;
    if (Number(units ?? 0) === sum) return;
    const missing = sum - Number(units ?? 0);
    yield {
      problem: `${units ?? 0} held units are counted, but those of each pet are ${sum} in all`,
      // Other holds can change in the meantime.
      repair: () =>
        connection.change(holdsKey, (redis) =>
          Number.isNaN(missing)
            ? redis.hset(holdsKey, "units", sum)
            : redis.hincrby(holdsKey, "units", missing),
        ),
    };
    return;
  }
}
