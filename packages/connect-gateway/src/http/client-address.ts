import { type BlockList, isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { type Exchange, forwardedFor } from "./exchange/exchange.ts";

/** Most entries of X-Forwarded-For that are read: more than any chain of trusted proxies adds. */
const maxHops = 32;

/** Returns the address of a client for the log, read as in {@link clientAddress}; undefined when there is no valid one. */
export function clientIp(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: BlockList,
): string | undefined {
  return resolve(peer, forwardedFor, trusted)?.toString();
}

/**
 * Returns the address that requests without a valid key are counted for: the client's IPv4 address, or the /64 of its
 * IPv6 address, because one client commonly has a whole /64.
 *
 * @param peer the address of the socket's peer; undefined when the connection is closed
 * @param forwardedFor the X-Forwarded-For header. Read from the right, as long as trusted proxies wrote the entries
 * @returns "unknown" when there is no valid address
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: BlockList,
): string {
  return group(resolve(peer, forwardedFor, trusted));
}

/** Returns the address of a request's client as {@link clientAddress} does. */
export function addressOf(request: Exchange): string {
  const { peer, trustedProxies } = request.connection;
  return clientAddress(peer, forwardedFor(request), trustedProxies);
}

/** Returns the address of a request's client as {@link clientIp} does. */
export function ipOf(request: Exchange): string | undefined {
  const { peer, trustedProxies } = request.connection;
  return clientIp(peer, forwardedFor(request), trustedProxies);
}

function resolve(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: BlockList,
): Address | undefined {
  let address = parse(peer ?? "");
  for (const entry of lastEntries(forwardedFor ?? "", maxHops)) {
    const hop = address && isTrusted(address, trusted) ? parse(entry) : undefined;
    if (!hop) break;
    address = hop;
  }
  return address;
}

function* lastEntries(list: string, most: number): Generator<string> {
  let end = list.length;
  for (let count = 0; count < most && end > 0; count++) {
    const comma = list.lastIndexOf(",", end - 1);
    yield list.slice(comma + 1, end);
    end = comma;
  }
}

/** An IPv4 address is its text, because it has only one spelling. That makes the usual case cheap. */
type Address = string | ipaddr.IPv6;

/** The longest address with a port: an IPv6 address that ends in an IPv4 address. */
const longestAddress = "[0000:0000:0000:0000:0000:ffff:255.255.255.255]:65535".length;

/** Captures the address of `192.0.2.1:80`, `[2001:db8::1]` or `[2001:db8::1]:80`. */
const decorated = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/;

/** How node reports an IPv4 peer when the service listens on an IPv6 address. */
const mapped = "::ffff:";

/** Parses an address, with or without a port. An IPv4-mapped IPv6 address becomes the IPv4 address. */
function parse(text: string): Address | undefined {
  const bare = text.startsWith(mapped) ? text.slice(mapped.length) : text;
  if (isIPv4(bare)) return bare;
  const entry = text.trim();
  if (entry.length > longestAddress) return undefined;
  const [, ipv4, ipv6] = decorated.exec(entry) ?? [];
  const address = ipv4 ?? ipv6 ?? entry;
  if (!isIP(address)) return undefined;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed : parsed.toString();
}

export function isTrustedAddress(text: string, trusted: BlockList): boolean {
  const address = parse(text);
  return address !== undefined && isTrusted(address, trusted);
}

/** Returns the {@link addressGroup} of a connection; undefined for a trusted proxy, which serves many clients, or if closed. */
export function limitedGroup(text: string | undefined, exempt: BlockList): string | undefined {
  return text === undefined || isTrustedAddress(text, exempt) ? undefined : addressGroup(text);
}

/** Returns an IPv4 address as it is, the /64 of an IPv6 address, or "unknown" for other text and a closed connection. */
export function addressGroup(text: string | undefined): string {
  return group(parse(text ?? ""));
}

function isTrusted(address: Address, trusted: BlockList): boolean {
  return trusted.check(address.toString(), typeof address === "string" ? "ipv4" : "ipv6");
}

function group(address: Address | undefined): string {
  if (address === undefined) return "unknown";
  if (typeof address === "string") return address;
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
