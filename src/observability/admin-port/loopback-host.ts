import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Returns whether a request may be served by its Host header, which is absent in HTTP/1.0. Over a loopback address, the host
 * must be an IP address or `localhost`. Otherwise the author of a web page could point a domain to 127.0.0.1 (DNS
 * rebinding), so that the operator's browser lets the page read the admin port.
 *
 * @param localAddress the address to which the client has connected
 */
export function isTrustedHost(host: string | undefined, localAddress: string | undefined): boolean {
  if (host === undefined || !isLoopback(localAddress ?? "")) return true;
  const name = URL.parse(`http://${host}`)?.hostname ?? "";
  const address = name.replace(/^\[(.*)\]$/, "$1");
  return isIP(address) !== 0 || name === "localhost" || name.endsWith(".localhost");
}

function isLoopback(address: string): boolean {
  // BlockList finds IPv4 addresses in IPv6 form, too.
  return loopback.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
