import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Limits } from "../../src/access/plans.ts";
import { dayWindow, minuteWindow, type WindowSpec } from "../../src/access/windows.ts";
import { someTime, storeKinds } from "../support/stores.ts";

/** Returns the most requests in any interval of a length. The times are in ascending order. */
function mostIn(times: readonly number[], length: number): number {
  let from = 0;
  let most = 0;
  times.forEach((time, index) => {
    while ((times[from] ?? time) <= time - length) {
      from += 1;
    }
    most = Math.max(most, index - from + 1);
  });
  return most;
}

/** Gaps between arrivals in milliseconds: bursts, single requests, and waits to the edge of a window. */
const gaps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 2_000 }) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(999, 1_000, 1_001, 58_999, 59_000, 59_999, 60_000, 60_001),
    },
    { weight: 1, arbitrary: fc.constantFrom(899_999, 900_000, 85_500_000, 86_399_999, 86_400_000) },
  ),
  { minLength: 1, maxLength: 150 },
);

describe.each(storeKinds)("limits in $name", ({ use }) => {
  const under = use();
  let run = 0;

  async function admittedTimes(
    limits: Limits,
    arrivals: readonly number[],
  ): Promise<readonly number[]> {
    run += 1;
    const address = `run ${run}`;
    const admitted: number[] = [];
    for (const time of arrivals) {
      under.clock.now = time;
      const { verdict } = await under.stores.admission.countAddress(address, limits);
      if (verdict === "admitted") admitted.push(time);
    }
    return admitted;
  }

  function timesOf(start: number, gapList: readonly number[]): number[] {
    let time = start;
    return gapList.map((gap) => {
      time += gap;
      return time;
    });
  }

  test("never admit more than the limit in any 60 s or 24 h, at any arrival pattern", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 900_000 }),
        gaps,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 40 }),
        async (offset, gapList, perMinute, perDay) => {
          const arrivals = timesOf(someTime + offset, gapList);
          const admitted = await admittedTimes({ perMinute, perDay }, arrivals);
          expect(mostIn(admitted, 60_000)).toBeLessThanOrEqual(perMinute);
          expect(mostIn(admitted, 86_400_000)).toBeLessThanOrEqual(perDay);
        },
      ),
      { numRuns: 80 },
    );
  }, 60_000);

  test("refuse only when the window and one bucket more hold the limit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 900_000 }),
        gaps,
        fc.integer({ min: 1, max: 12 }),
        async (offset, gapList, perMinute) => {
          const arrivals = timesOf(someTime + offset, gapList);
          const admitted = await admittedTimes({ perMinute, perDay: 1_000_000 }, arrivals);
          const reach = (minuteWindow.buckets + 1) * minuteWindow.bucketMs;
          const left = [...admitted];
          for (const time of arrivals) {
            if (left[0] === time) {
              left.shift();
              continue;
            }
            const counted = admitted.filter((each) => each <= time && each > time - reach);
            expect(counted.length).toBeGreaterThanOrEqual(perMinute);
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);

  test.each<[string, WindowSpec, Limits]>([
    ["minute", minuteWindow, { perMinute: 610, perDay: 100_000_000 }],
    ["day", dayWindow, { perMinute: 1_000_000, perDay: 970 }],
  ])("lose at most 1/(B+1) of a %s's limit to steady full load", async (name, spec, limits) => {
    const limit = name === "minute" ? limits.perMinute : limits.perDay;
    const length = spec.buckets * spec.bucketMs;
    const periods = 4;
    // An even load of twice the limit.
    const gap = length / (2 * limit);
    const arrivals = Array.from(
      { length: periods * 2 * limit },
      (_, i) => someTime + Math.floor(i * gap),
    );
    const admitted = await admittedTimes(limits, arrivals);
    const share = admitted.length / (periods * limit);
    expect(share).toBeGreaterThanOrEqual(spec.buckets / (spec.buckets + 1));
  });

  test("never admit more than the limits of a /64, a /56 and a /48", async () => {
    const from = fc.tuple(gaps, fc.array(fc.nat(0xffff), { minLength: 150, maxLength: 150 }));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 900_000 }),
        from,
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom(0x0003, 0x0303, 0xffff),
        async (offset, [gapList, networks], perMinute, mask) => {
          run += 1;
          const admitted = new Map<string, number[]>();
          for (const [index, time] of timesOf(someTime + offset, gapList).entries()) {
            const network = (networks[index] ?? 0) & mask;
            const prefix = `2001:db8:${run.toString(16)}`;
            const address = `${prefix}:${network.toString(16)}::/64`;
            under.clock.now = time;
            const limits = { perMinute, perDay: 1_000 };
            const { verdict } = await under.stores.admission.countAddress(address, limits);
            if (verdict !== "admitted") continue;
            for (const of of [address, `${prefix}:${network >> 8}/56`, `${prefix}/48`]) {
              admitted.set(of, [...(admitted.get(of) ?? []), time]);
            }
          }
          for (const [network, times] of admitted) {
            const most = network.endsWith("/56") ? 4 : network.endsWith("/48") ? 16 : 1;
            expect(mostIn(times, 60_000)).toBeLessThanOrEqual(most * perMinute);
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);
});
