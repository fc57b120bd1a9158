import { crc32 } from "node:zlib";
import { present } from "../common/present.ts";
import type { Limits } from "./plans.ts";

/** A counter of requests without a valid key. Addresses are hashed to a fixed number, which bounds the memory. */
export interface AddressCounter {
  /** All counters of an address are in the same partition. */
  readonly partition: number;
  /** Its number within the partition. */
  readonly index: number;
  /** The most requests that it admits. */
  readonly limits: Limits;
}

/** Partitions of the counters. */
export const counterPartitions = 16;

/** For each size of network: the factor of its limits over those of a /64, and its counters in a partition. */
const levels = {
  client: { times: 1, first: 0, size: 3_072 },
  slash56: { times: 4, first: 3_072, size: 512 },
  slash48: { times: 16, first: 3_584, size: 512 },
} as const;

export const countersPerPartition = 4_096;

/**
 * Returns the counters of a request without a valid key, from the narrowest network to the widest: one for an IPv4 address,
 * three for an IPv6 address, for its /64, /56 and /48, because one client commonly has a whole /56 or /48. The request is
 * admitted if all of them admit it. Two addresses share a counter, and the limits of one address, with a probability of 1 in
 * 49,152, or 1 in 3,072 within a /48.
 *
 * @param address as `clientAddress` returns it
 */
export function countersOf(
  address: string,
  limits: Limits,
): readonly [own: AddressCounter, ...wider: AddressCounter[]] {
  const groups = address.split(":");
  // `<group>:<group>:<group>:<group>::/64`
  if (groups.length !== 6) {
    const hash = crc32(address);
    return [counter("client", limits, hash % counterPartitions, hash)];
  }
  const slash48 = groups.slice(0, 3).join(":");
  const slash56 = `${slash48}:${Number.parseInt(present(groups[3], "the fourth group of a /64 network"), 16) >>> 8}`;
  const hash48 = crc32(slash48);
  const partition = hash48 % counterPartitions;
  return [
    counter("client", limits, partition, crc32(address)),
    counter("slash56", limits, partition, crc32(slash56)),
    counter("slash48", limits, partition, hash48),
  ];
}

function counter(
  level: keyof typeof levels,
  { perMinute, perDay }: Limits,
  partition: number,
  hash: number,
): AddressCounter {
  const { times, first, size } = levels[level];
  const index = first + (Math.floor(hash / counterPartitions) % size);
  return { partition, index, limits: { perMinute: times * perMinute, perDay: times * perDay } };
}
