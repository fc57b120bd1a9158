import { type BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

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
  const hops = forwardedFor?.split(",") ?? [];
  while (address && hops.length > 0 && isTrusted(address, trusted)) {
    const hop = parse(hops.pop() ?? "");
    if (!hop) {
      break;
    }
    address = hop;
  }
  return address ? group(address) : "unknown";
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
