import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  counterPartitions,
  countersOf,
  countersPerPartition,
} from "../../src/access/address-counters.ts";

const limits = { perMinute: 600, perDay: 10_000 };
const idsOf = (address: string) =>
  countersOf(address, limits).map(({ partition, index }) => `${partition}:${index}`);

describe("counters of an address", () => {
  test("one for an IPv4 address, with its limits", () => {
    expect(countersOf("192.0.2.1", limits)).toMatchObject([{ limits }]);
  });

  test("one for the /64, the /56 and the /48 of an IPv6 address, with 1, 4 and 16 times the limits", () => {
    expect(countersOf("2001:db8:1:2::/64", limits)).toMatchObject([
      { limits },
      { limits: { perMinute: 2_400, perDay: 40_000 } },
      { limits: { perMinute: 9_600, perDay: 160_000 } },
    ]);
  });

  test.each([
    ["2001:db8:1:200::/64", "2001:db8:1:2ff::/64", [false, true, true]],
    ["2001:db8:1:200::/64", "2001:db8:1:300::/64", [false, false, true]],
    ["2001:db8:1:2::/64", "2001:db8:2:2::/64", [false, false, false]],
    ["2001:db8:1:ff::/64", "2001:db8:1:0::/64", [false, true, true]],
  ])("%s and %s share those of their common networks", (one, other, shared) => {
    const others = idsOf(other);
    expect(idsOf(one).map((id, level) => id === others[level])).toEqual(shared);
  });

  test("have a fixed number, whatever the address is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (address) => {
        for (const { partition, index } of countersOf(address, limits)) {
          expect(partition).toBeGreaterThanOrEqual(0);
          expect(partition).toBeLessThan(counterPartitions);
          expect(index).toBeGreaterThanOrEqual(0);
          expect(index).toBeLessThan(countersPerPartition);
        }
      }),
    );
  });

  test("of one address are in one partition, and networks never share a counter with addresses", () => {
    fc.assert(
      fc.property(fc.uint16Array({ minLength: 4, maxLength: 4 }), (parts) => {
        const groups = [...parts].map((part) => part.toString(16));
        const [own, slash56, slash48] = countersOf(`${groups.join(":")}::/64`, limits);
        expect([slash56?.partition, slash48?.partition]).toEqual([own.partition, own.partition]);
        expect(own.index).toBeLessThan(3_072);
        expect(slash56?.index).toBeGreaterThanOrEqual(3_072);
        expect(slash48?.index).toBeGreaterThanOrEqual(3_584);
      }),
    );
  });

  test.each([
    ["IPv4 addresses in sequence", (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`],
    ["/64s of other /48s", (i: number) => `2001:db8:${i.toString(16)}:1::/64`],
  ])("are used evenly by %s", (_, addressOf) => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 49_152; i += 1) {
      const [id = ""] = idsOf(addressOf(i));
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    // With a random function 63 % of the counters are used, and hardly any by more than 8 addresses.
    expect(counts.size).toBeGreaterThan(0.62 * 49_152);
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(10);
  });
});
