import { BlockList } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clientIp } from "../../packages/connect-gateway/src/http/client-address.ts";
import { networkOfIp, networkText, readNetwork } from "../../src/access/network.ts";

const nobody = new BlockList();
const proxies = new BlockList();
proxies.addSubnet("10.0.0.0", 8, "ipv4");

/** Returns the network of a client's address. */
function clientNetwork(
  peer: string | undefined,
  forwarded: string | undefined,
  trusted: BlockList,
) {
  return networkOfIp(clientIp(peer, forwarded, trusted));
}

/** Returns the canonical form, or what is wrong. */
function canonical(text: string): string {
  const read = readNetwork(text);
  return "fault" in read ? read.fault : networkText(read.network);
}

function contains(network: string, peer: string | undefined): boolean {
  const read = readNetwork(network);
  if ("fault" in read) throw new Error(`${network} ${read.fault}`);
  return clientNetwork(peer, undefined, nobody).startsWith(read.network);
}

describe("canonical networks", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["192.0.2.1/32", "192.0.2.1"],
    ["192.0.2.0/24", "192.0.2.0/24"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.0/120", "192.0.2.0/24"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
    ["2001:0DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["2001:0DB8:0:0:1:0:0:1/128", "2001:db8::1:0:0:1"],
    ["2001:db8:8000::/33", "2001:db8:8000::/33"],
    ["0000:0000:0000:0000:0000:0000:0000:0001/128", "::1"],
    ["::/0", "::/0"],
  ])("%s is %s", (text, form) => {
    expect(canonical(text)).toBe(form);
    expect(canonical(form)).toBe(form);
  });

  test.each([
    "",
    "x",
    "192.0.2",
    "192.0.2.256",
    "192.0.02.1",
    " 192.0.2.1",
    "192.0.2.1 ",
    "192.0.2.0/",
    "192.0.2.0/024",
    "192.0.2.0/+24",
    "192.0.2.0/24/24",
    "192.0.2.0/255.255.255.0",
    "192.0.2.1:80",
    "[::1]",
    "fe80::1%eth0",
    "fe80::%eth0/64",
    "example.com",
    "*",
    "٤.0.0.0",
  ])("%j is none", (text) => {
    expect(canonical(text)).toBe(
      "must be an address or a network, such as 192.0.2.7 or 2001:db8::/32",
    );
  });

  test.each([
    ["192.0.2.0/33", "must have a prefix length from 0 to 32"],
    ["::/129", "must have a prefix length from 0 to 128"],
    ["::ffff:0:0/95", "must have a prefix length from 96 to 128"],
    ["192.0.2.1/24", "must be a network without host bits: send 192.0.2.0/24"],
    ["::ffff:192.0.2.1/120", "must be a network without host bits: send 192.0.2.0/24"],
    ["2001:db8::1/64", "must be a network without host bits: send 2001:db8::/64"],
  ])("%s is refused: %s", (text, fault) => {
    expect(canonical(text)).toBe(fault);
  });
});

describe("matching", () => {
  test.each([
    ["192.0.2.0/24", "192.0.2.255", true],
    ["192.0.2.0/24", "192.0.3.0", false],
    ["192.0.2.0/24", "::ffff:192.0.2.9", true],
    ["192.0.2.0/24", "::ffff:c000:209", true],
    ["0.0.0.0/0", "::1", false],
    ["::/0", "192.0.2.1", false],
    ["::/0", "::ffff:192.0.2.1", false],
    ["fe80::/64", "fe80::1%eth0", true],
    ["2001:db8::1", "2001:db8::1", true],
    ["2001:db8::1", "2001:db8::2", false],
    // A closed connection, and a socket that has no address.
    ["0.0.0.0/0", undefined, false],
    ["::/0", undefined, false],
    ["0.0.0.0/0", "", false],
    ["0.0.0.0/0", "/run/inventory.sock", false],
  ])("%s contains %s: %s", (network, peer, isWithin) => {
    expect(contains(network, peer)).toBe(isWithin);
  });

  test("a forged X-Forwarded-For never counts", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (forged) => {
        const direct = clientNetwork("192.0.2.1", undefined, nobody);
        expect(clientNetwork("192.0.2.1", forged, nobody)).toBe(direct);
        expect(clientNetwork("192.0.2.1", forged, proxies)).toBe(direct);
        // The proxy has added the client's address on the right.
        expect(clientNetwork("10.0.0.1", `${forged}, 192.0.2.1`, proxies)).toBe(direct);
      }),
    );
  });

  /** The beginning of IPv4-mapped addresses, which are IPv4 addresses. */
  const mappedBits = `6${"0".repeat(80)}${"1".repeat(16)}`;

  // Few different bits, so that networks often contain the address.
  const byte = fc.constantFrom(0, 1, 127, 128, 192, 255);
  const ipv4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join("."));
  const group = fc.constantFrom("0", "1", "ffff", "8000", "7fff", "db8");
  const ipv6 = fc
    .array(group, { minLength: 8, maxLength: 8 })
    .map((groups) => groups.join(":"))
    .filter((text) => !text.startsWith("0:0:0:0:0:ffff:"));

  test.each([
    ["ipv4", ipv4, 32],
    ["ipv6", ipv6, 128],
  ] as const)("is as node:net's BlockList says for %s", (family, addresses, width) => {
    fc.assert(
      fc.property(
        addresses,
        addresses,
        fc.integer({ min: 0, max: width }),
        fc.integer({ min: 0, max: width }),
        (base, other, length, shared) => {
          const oracle = new BlockList();
          oracle.addSubnet(base, length, family);
          // The service refuses host bits, and says what the network is.
          const network = canonical(`${base}/${length}`).replace(/^.* send /, "");
          const bits = clientNetwork(base, undefined, nobody).slice(0, 1 + shared);
          const mixed = bits + clientNetwork(other, undefined, nobody).slice(bits.length);
          fc.pre(!mixed.startsWith(mappedBits));
          for (const peer of [base, other, networkText(mixed)]) {
            expect(contains(network, peer)).toBe(oracle.check(peer, family));
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("the canonical form of any network is the same network", () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), fc.integer({ min: 0, max: 128 }), (base, length) => {
        const network = clientNetwork(base, undefined, nobody).slice(0, 1 + length);
        expect(readNetwork(networkText(network))).toEqual({ network });
      }),
    );
  });
});
