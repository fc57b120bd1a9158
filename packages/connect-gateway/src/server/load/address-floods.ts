import type { BlockList } from "node:net";
import { limitedGroup } from "../../http/client-address.ts";

/** Most addresses whose counts are in memory. Each takes about 400 bytes. */
const maxAddresses = 10_000;

/** Limits events: the size of a burst, and the rate per second after it. */
export interface Limit {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** The events that are limited for each connection, and for all connections of an address together. */
export type FloodLimits = Readonly<Record<"resets" | "refused" | "tooLong" | "otherBytes", Limit>>;

export type FloodCounts = Readonly<Record<keyof FloodLimits, TokenBucket>>;

export function newCounts({ resets, refused, tooLong, otherBytes }: FloodLimits): FloodCounts {
  return {
    resets: new TokenBucket(resets),
    refused: new TokenBucket(refused),
    tooLong: new TokenBucket(tooLong),
    otherBytes: new TokenBucket(otherBytes),
  };
}

/** Finds the counts of an address (IPv6: of its /64), which a new connection does not reset; undefined when they are not limited. */
export type AddressFloods = (remoteAddress: string | undefined) => FloodCounts | undefined;

/** Creates counts of addresses. Drops the address that connected least recently if there are too many. @param exempt proxies */
export function createAddressFloods(limits: FloodLimits, exempt: BlockList): AddressFloods {
  const floods = new Map<string, FloodCounts>();
  return (remoteAddress) => {
    const address = limitedGroup(remoteAddress, exempt);
    if (address === undefined) return undefined;
    const counts = floods.get(address) ?? newCounts(limits);
    // A Map iterates in the order of insertion: the last one is the latest.
    floods.delete(address);
    floods.set(address, counts);
    for (const oldest of floods.keys()) {
      if (floods.size <= maxAddresses) break;
      floods.delete(oldest);
    }
    return counts;
  };
}

export class TokenBucket {
  readonly #burst: number;
  readonly #perMs: number;
  #tokens: number;
  #filledAt = performance.now();

  constructor({ atOnce, perSecond }: Limit) {
    this.#burst = atOnce;
    this.#perMs = perSecond / 1_000;
    this.#tokens = atOnce;
  }

  /** Takes tokens. @returns false when fewer are left */
  take(tokens = 1): boolean {
    this.#fill();
    if (this.#tokens < tokens) return false;
    this.#tokens -= tokens;
    return true;
  }

  isFull(): boolean {
    if (this.#tokens < this.#burst) this.#fill();
    return this.#tokens >= this.#burst;
  }

  #fill(): void {
    const now = performance.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
  }
}
