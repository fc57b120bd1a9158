import type { BlockList } from "node:net";
import { addressGroup, isTrustedAddress } from "../../access/client-address.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Most addresses whose counts are in memory. Each takes about 400 bytes. */
const maxAddresses = 10_000;

/** Limits events: the size of a burst, and the rate per second after it. */
interface Limit {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** The limits on all connections of one address together. */
export interface AddressLimits {
  /** Streams that may end early. */
  readonly resets: Limit;
  /** Streams that may be refused because their connection has too many open. */
  readonly refused: Limit;
  /** Header sections that may exceed the limit before the client has acknowledged it. */
  readonly tooLong: Limit;
  /** Bytes that are neither headers nor bodies of open streams. */
  readonly otherBytes: Limit;
}

/** The counts of all connections of one address together. */
export type AddressFlood = Readonly<Record<keyof AddressLimits, TokenBucket>>;

/**
 * Finds the counts of a client's address, so that a new connection does not reset them.
 *
 * @param remoteAddress the address of the client's end of a connection
 * @returns the counts of the address (IPv6: of its /64); undefined when they are not limited
 */
export type AddressFloods = (remoteAddress: string | undefined) => AddressFlood | undefined;

/**
 * Creates counts for all addresses. When there are too many addresses, it drops the one that connected least recently.
 *
 * @param limits the limits on all connections of one address together
 * @param exempt addresses without a limit: proxies, which serve many clients
 */
export function createAddressFloods(limits: AddressLimits, exempt: BlockList): AddressFloods {
  const floods = new Map<string, AddressFlood>();
  return (remoteAddress) => {
    if (remoteAddress === undefined || isTrustedAddress(remoteAddress, exempt)) return undefined;
    const address = addressGroup(remoteAddress);
    const flood = floods.get(address) ?? {
      resets: bucketOf(limits.resets),
      refused: bucketOf(limits.refused),
      tooLong: bucketOf(limits.tooLong),
      otherBytes: bucketOf(limits.otherBytes),
    };
    // A Map iterates in the order of insertion: the last one is the latest.
    floods.delete(address);
    floods.set(address, flood);
    for (const oldest of floods.keys()) {
      if (floods.size <= maxAddresses) break;
      floods.delete(oldest);
    }
    return flood;
  };
}

function bucketOf({ atOnce, perSecond }: Limit): TokenBucket {
  return new TokenBucket(atOnce, perSecond);
}
