import { expect, it } from "vitest";
import { countersOf, countersPerPartition } from "../../src/access/address-counters.ts";
import { dayMs } from "../../src/call/durations.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { someTime } from "../support/stores.ts";

const limits = { perMinute: 1, perDay: 1 };

function* addresses(): Generator<string> {
  for (let number = 0; ; number += 1)
    yield `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
}

it("addresses in memory share counters only while 4,096 others are in use", async () => {
  const clock = { now: someTime };
  const { admission } = createMemoryStores(() => clock.now);
  const verdictOf = async (address: string) =>
    (await admission.admitAddress(address, limits)).verdict;
  const used = new Set<string>();
  /** An address whose counter is not in use, by the index of that counter in its partition. */
  const unused = new Map<number, string>();
  let pair: [string, string] | undefined;
  for (const address of addresses()) {
    const [{ partition, index }] = countersOf(address, limits);
    const counter = `${partition} ${index}`;
    if (used.has(counter)) continue;
    if (used.size < countersPerPartition) {
      used.add(counter);
      expect(await verdictOf(address)).toBe("admitted");
      continue;
    }
    const other = unused.get(index);
    if (other !== undefined && countersOf(other, limits)[0].partition !== partition) {
      pair = [other, address];
      break;
    }
    unused.set(index, address);
  }
  const [one, other] = pair ?? ["", ""];
  expect([await verdictOf(one), await verdictOf(other)]).toEqual(["admitted", "limited"]);
  // All requests have left the day. The next address without a counter finds that.
  clock.now += 2 * dayMs;
  expect(await verdictOf("192.0.2.1")).toBe("admitted");
  expect([await verdictOf(one), await verdictOf(other)]).toEqual(["admitted", "admitted"]);
  expect([await verdictOf(one), await verdictOf(other)]).toEqual(["limited", "limited"]);
});
