import type { Redis } from "ioredis";
import { present } from "../call/present.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";

/** Stored data that disagree with other data. */
export interface Finding {
  /** What is wrong, in one line. */
  readonly problem: string;
  /**
   * Mends it, as `inventory migrate` does. It checks again first, because clients change the data in the meantime.
   * Undefined if only an operator can decide what is right.
   */
  readonly repair?: () => Promise<unknown>;
  /** Whether a backup would lack data. */
  readonly isHidden?: boolean;
  /** Whether the records of a snapshot show it too, so that `verify` need not report it twice. */
  readonly isInRecords?: boolean;
}

/** Returns a finding with what to do about it, in one line. */
export function findingText({ problem, repair }: Finding): string {
  return repair ? `${problem}: run inventory migrate` : problem;
}

/**
 * Sends one command for each key. Keys of a slot share a round trip.
 *
 * @param keys at most about a thousand
 * @returns the replies, in the order of the keys
 */
export async function forEachKey<T>(
  connection: Connection,
  keys: readonly string[],
  send: (redis: Redis, key: string, at: number) => Promise<T>,
): Promise<T[]> {
  const replies: T[] = [];
  const places = keys.map((key, at) => ({ key, at }));
  const bySlot = Object.groupBy(places, ({ key }) => connection.slotOf(key));
  await Promise.all(
    Object.values(bySlot).map(async (group = []) => {
      const found = await connection.run(
        present(group[0]?.key, "the first key of a slot"),
        (redis) => Promise.all(group.map(({ key, at }) => send(redis, key, at))),
      );
      group.forEach(({ at }, index) => {
        replies[at] = found[index] as T;
      });
    }),
  );
  return replies;
}
