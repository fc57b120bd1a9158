import { BlockList } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clientAddress } from "../../src/http/client-address.ts";

const nobody = new BlockList();

/** Trusts 10.0.0.0/8, the loopback address and 2001:db8:ffff::/48. */
const proxies = new BlockList();
proxies.addSubnet("10.0.0.0", 8, "ipv4");
proxies.addAddress("127.0.0.1", "ipv4");
proxies.addSubnet("2001:db8:ffff::", 48, "ipv6");

/** Any text of a header: one character for each byte. */
const anyText = fc
  .uint8Array({ maxLength: 60 })
  .map((bytes) => Buffer.from(bytes).toString("latin1"));

describe("client address without a proxy", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:c000:201", "192.0.2.1"],
  ])("%s is the IPv4 address %s", (peer, address) => {
    expect(clientAddress(peer, undefined, nobody)).toBe(address);
  });

  test.each([
    ["2001:db8:1:2::", "2001:db8:1:2:ffff:ffff:ffff:ffff"],
    ["2001:db8:1:2::1", "2001:0DB8:0001:0002:0:0:0:1"],
    ["::1", "::2"],
    ["fe80::1", "fe80::1%eth0"],
  ])("%s and %s are one client: the same /64", (one, other) => {
    expect(clientAddress(one, undefined, nobody)).toBe(clientAddress(other, undefined, nobody));
  });

  test.each([
    ["2001:db8:1:2::1", "2001:db8:1:3::1"],
    ["2001:db8:1:2::1", "2001:db8:2:2::1"],
    ["192.0.2.1", "192.0.2.2"],
    ["::1", "127.0.0.1"],
    ["192.0.2.1", "2002:c000:201::1"],
  ])("%s and %s are two clients", (one, other) => {
    expect(clientAddress(one, undefined, nobody)).not.toBe(clientAddress(other, undefined, nobody));
  });

  test('a closed connection has the address "unknown"', () => {
    expect(clientAddress(undefined, undefined, nobody)).toBe("unknown");
    expect(clientAddress(undefined, "192.0.2.1", proxies)).toBe("unknown");
  });

  test("X-Forwarded-For of an untrusted peer is ignored", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (forwardedFor) => {
        expect(clientAddress("192.0.2.1", forwardedFor, nobody)).toBe("192.0.2.1");
        expect(clientAddress("192.0.2.1", forwardedFor, proxies)).toBe("192.0.2.1");
      }),
    );
  });
});

describe("client address behind trusted proxies", () => {
  test.each([
    ["10.0.0.1", "203.0.113.1", "203.0.113.1"],
    ["::ffff:10.0.0.1", "203.0.113.1", "203.0.113.1"],
    ["2001:db8:ffff::1", "203.0.113.1", "203.0.113.1"],
    // Read from the right, because the client claims the rest.
    ["10.0.0.1", "198.51.100.7, 203.0.113.1", "203.0.113.1"],
    ["10.0.0.1", "10.0.0.2, 203.0.113.1", "203.0.113.1"],
    ["10.0.0.1", "127.0.0.1,203.0.113.1", "203.0.113.1"],
    // As far as trusted proxies wrote it.
    ["10.0.0.1", "203.0.113.1, 10.0.0.2", "203.0.113.1"],
    ["10.0.0.1", "203.0.113.1,10.0.0.3 , 127.0.0.1", "203.0.113.1"],
    ["10.0.0.1", "203.0.113.1, ::ffff:10.0.0.2", "203.0.113.1"],
    ["10.0.0.1", "203.0.113.1, 2001:db8:ffff:1::9", "203.0.113.1"],
    ["10.0.0.1", "198.51.100.7, 203.0.113.1, 10.0.0.2", "203.0.113.1"],
    // All are trusted, so the first one is the client.
    ["10.0.0.1", "10.0.0.9", "10.0.0.9"],
    ["10.0.0.1", "10.0.0.9, 10.0.0.2", "10.0.0.9"],
    // With ports, as some proxies write them.
    ["10.0.0.1", "203.0.113.1:4711", "203.0.113.1"],
    ["10.0.0.1", " 203.0.113.1 ", "203.0.113.1"],
    ["10.0.0.1", "::ffff:203.0.113.1", "203.0.113.1"],
    // Without a valid entry, the last known address is counted.
    ["10.0.0.1", undefined, "10.0.0.1"],
    ["10.0.0.1", "", "10.0.0.1"],
    ["10.0.0.1", "unknown", "10.0.0.1"],
    ["10.0.0.1", "_hidden", "10.0.0.1"],
    ["10.0.0.1", "203.0.113.1,", "10.0.0.1"],
    ["10.0.0.1", "203.0.113.256", "10.0.0.1"],
    ["10.0.0.1", "203.0.113.1/24", "10.0.0.1"],
    ["10.0.0.1", "198.51.100.7, unknown, 10.0.0.2", "10.0.0.2"],
  ])("from %s with %j it is %s", (peer, forwardedFor, address) => {
    expect(clientAddress(peer, forwardedFor, proxies)).toBe(address);
  });

  test.each([
    "2001:db8:1:2::1",
    "2001:db8:1:2::2",
    "[2001:db8:1:2::3]",
    "[2001:db8:1:2::4]:4711",
    "2001:DB8:1:2:0:0:0:5",
  ])("from a proxy with %s it is the /64", (forwardedFor) => {
    const direct = clientAddress("2001:db8:1:2::99", undefined, nobody);
    expect(clientAddress("10.0.0.1", forwardedFor, proxies)).toBe(direct);
  });

  test("text to the left of the client's address is ignored", () => {
    const claims = fc.array(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), { maxLength: 4 });
    fc.assert(
      fc.property(claims, (claimed) => {
        const forwardedFor = [...claimed, "203.0.113.1", "10.0.0.2"].join(", ");
        expect(clientAddress("10.0.0.1", forwardedFor, proxies)).toBe("203.0.113.1");
      }),
    );
  });

  test.each([
    ["white space within an address", `10.0.0.2${" ".repeat(16_000)}x`],
    ["white space around an address", `${" ".repeat(8_000)}10.0.0.2${" ".repeat(8_000)}`],
    ["brackets", "[".repeat(16_000)],
    ["digits", "1".repeat(16_000)],
    ["groups", "a:".repeat(8_000)],
    ["commas", ",".repeat(16_000)],
    ["proxies", Array.from({ length: 1_800 }, () => "10.0.0.2").join()],
  ])("a header section full of %s takes little time", (_, forwardedFor) => {
    const before = process.threadCpuUsage();
    clientAddress("10.0.0.1", forwardedFor, proxies);
    const { user, system } = process.threadCpuUsage(before);
    // In microseconds: far more than linear time needs, and far less than quadratic time.
    expect(user + system).toBeLessThan(150_000);
  });

  test("a header of any length and content is parsed without an error", () => {
    fc.assert(
      fc.property(anyText, (forwardedFor) => {
        expect(clientAddress("10.0.0.1", forwardedFor, proxies)).toEqual(expect.any(String));
      }),
    );
  });

  test("only the last 32 entries are read", () => {
    const hops = (count: number) => Array.from({ length: count }, () => "10.0.0.2").join();
    expect(clientAddress("10.0.0.1", `203.0.113.1,${hops(31)}`, proxies)).toBe("203.0.113.1");
    expect(clientAddress("10.0.0.1", `203.0.113.1,${hops(32)}`, proxies)).toBe("10.0.0.2");
    expect(clientAddress("10.0.0.1", `203.0.113.1,${hops(4_000)}`, proxies)).toBe("10.0.0.2");
  });
});
