import { type BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The most entries of X-Forwarded-For that are read: more than any chain of trusted proxies has. */
const maxHops = 32;

/**
 * What requests without a valid key are counted by: the client's IPv4 address, or the /64 of its IPv6
 * address, which is what one client commonly has.
 *
 * @param peer address of the socket's other end; undefined when the connection has gone
 * @param forwardedFor the X-Forwarded-For header; read from the right, and only as far as it was
 * written by trusted proxies
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: BlockList,
): string {
  let address = parse(peer ?? "");
  for (const entry of lastEntries(forwardedFor ?? "", maxHops)) {
    const hop = address && isTrusted(address, trusted) ? parse(entry) : undefined;
    if (!hop) {
      break;
    }
    address = hop;
  }
  return address ? group(address) : "unknown";
}

/** Yields the entries of a list from the right, at most `most`. */
function* lastEntries(list: string, most: number): Generator<string> {
  let end = list.length;
  for (let count = 0; count < most && end > 0; count++) {
    const comma = list.lastIndexOf(",", end - 1);
    yield list.slice(comma + 1, end);
    end = comma;
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Longest text that can be an address with a port: an IPv6 address that ends in an IPv4 one. */
const longestAddress = "[0000:0000:0000:0000:0000:ffff:255.255.255.255]:65535".length;

/** `192.0.2.1:80`, `[2001:db8::1]` or `[2001:db8::1]:80`: the address is what is captured. */
const decorated = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/;

/** Reads an address, with or without a port. An IPv4 address mapped into IPv6 is the IPv4 address. */
function parse(text: string): Address | undefined {
  const entry = text.trim();
  if (entry.length > longestAddress) {
    return undefined;
  }
  const [, ipv4, ipv6] = decorated.exec(entry) ?? [];
  const address = ipv4 ?? ipv6 ?? entry;
  return isIP(address) ? ipaddr.process(address) : undefined;
}

/** Whether an address is one of those that are trusted. */
export function isTrustedAddress(text: string, trusted: BlockList): boolean {
  const address = parse(text);
  return address !== undefined && isTrusted(address, trusted);
}

/** The address that stands for a client: its IPv4 address, or the /64 of its IPv6 address. */
export function addressGroup(text: string): string {
  const address = parse(text);
  return address ? group(address) : "unknown";
}

function isTrusted(address: Address, trusted: BlockList): boolean {
  return trusted.check(address.toString(), address.kind());
}

function group(address: Address): string {
  if (address instanceof ipaddr.IPv4) {
    return address.toString();
  }
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
