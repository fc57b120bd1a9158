import type { Limits } from "./plans.ts";

/**
 * A counter of requests without a valid key. Addresses are hashed to a fixed number of counters, so the
 * memory that unknown clients can fill has a bound, whatever addresses they use or claim.
 */
export interface AddressCounter {
  /** The part of all counters that it is in. All counters of an address are in the same part. */
  readonly partition: number;
  /** Its number within the partition. */
  readonly index: number;
  /** What it admits. */
  readonly limits: Limits;
}

/** Partitions of the counters. */
export const counterPartitions = 16;

/** The limits of a network as multiples of those of a /64, and the number of its counters in a partition. */
const levels = {
  client: { times: 1, first: 0, size: 3_072 },
  slash56: { times: 4, first: 3_072, size: 512 },
  slash48: { times: 16, first: 3_584, size: 512 },
} as const;

/** Counters in a partition. */
export const countersPerPartition = 4_096;

/**
 * The counters that a request without a valid key is counted in, from the narrowest network to the widest:
 * one for an IPv4 address; three for an IPv6 /64, which also counts for its /56 and its /48, because one
 * client commonly has a whole /56 or /48. The request is admitted if all of them admit it.
 *
 * Two addresses share a counter with a probability of 1 in 49,152, and within a /48 of 1 in 3,072. Then their
 * requests together are limited as those of one address.
 *
 * @param address an IPv4 address, or the /64 of an IPv6 address as `clientAddress` returns it
 * @param limits what an address admits
 */
export function countersOf(
  address: string,
  limits: Limits,
): readonly [own: AddressCounter, ...wider: AddressCounter[]] {
  const groups = address.split(":");
  // `<group>:<group>:<group>:<group>::/64`
  if (groups.length !== 6) {
    const hash = hashOf(address);
    return [counter("client", limits, partitionOf(hash), hash)];
  }
  const slash48 = groups.slice(0, 3).join(":");
  const slash56 = `${slash48}:${Number.parseInt(groups[3] ?? "", 16) >>> 8}`;
  const hash48 = hashOf(slash48);
  const partition = partitionOf(hash48);
  return [
    counter("client", limits, partition, hashOf(address)),
    counter("slash56", limits, partition, hashOf(slash56)),
    counter("slash48", limits, partition, hash48),
  ];
}

function partitionOf(hash: number): number {
  return hash % counterPartitions;
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

/** FNV-1a with the finalizer of MurmurHash3: 32 bits that each depend on every character. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
