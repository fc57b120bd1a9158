import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * A network as text: `4` or `6` for the version of IP, then the leading bits that its addresses share, such as `411000000`
 * for 192.0.0.0/8. A network contains an address if the text of the address begins with that of the network. Stores compare
 * them in this form, which takes one comparison in every language. An IPv4-mapped IPv6 address is the IPv4 address.
 */
export type Network = string;

/** Bits of an IPv6 address before the IPv4 address that is mapped to it. */
const mappedBits = 96;

const prefixLength = /^(?:0|[1-9]\d{0,2})$/;

/** Returns the network of one address. A zone of an IPv6 address is ignored. */
function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6): Network {
  const bits = address.toByteArray().map((byte) => byte.toString(2).padStart(8, "0"));
  return (bits.length === 4 ? "4" : "6") + bits.join("");
}

/** Returns the network of the address of a client; empty if it is unknown. */
export function networkOfIp(ip: string | undefined): Network {
  return ip === undefined ? "" : networkOf(ipaddr.process(ip));
}

/** Parses an address or a network in CIDR form. @returns the network, or what the text must be (after a field's name) */
export function readNetwork(text: string): { network: Network } | { fault: string } {
  const [address = "", length, ...more] = text.split("/");
  const isForm = more.length === 0 && (length === undefined || prefixLength.test(length));
  if (!isForm || isIP(address) === 0 || address.includes("%")) {
    return { fault: "must be an address or a network, such as 192.0.2.7 or 2001:db8::/32" };
  }
  const whole = networkOf(ipaddr.process(address));
  const hidden = isIP(address) === 6 && whole.startsWith("4") ? mappedBits : 0;
  const most = whole.length - 1;
  const bits = length === undefined ? most : Number(length) - hidden;
  if (bits < 0 || bits > most) {
    return { fault: `must have a prefix length from ${hidden} to ${hidden + most}` };
  }
  const network = whole.slice(0, 1 + bits);
  return whole.slice(network.length).includes("1")
    ? { fault: `must be a network without host bits: send ${networkText(network)}` }
    : { network };
}

/** Returns the address or network in its canonical form (RFC 5952 for IPv6). */
export function networkText(network: Network): string {
  const width = network.startsWith("4") ? 32 : 128;
  const bits = network.slice(1);
  const bytes = bits.padEnd(width, "0").match(/.{8}/g) ?? [];
  const address = ipaddr.fromByteArray(bytes.map((byte) => Number.parseInt(byte, 2)));
  const text = address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
  return bits.length === width ? text : `${text}/${bits.length}`;
}
