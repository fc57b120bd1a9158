import { describe, expect, it } from "vitest";
import type { Attack } from "./attacks/attack.ts";
import type { HonestReport } from "./honest.ts";
import { bounds, type Machine } from "./settings.ts";
import { isMeasurable, judge, type Measured } from "./verdict.ts";

const attack: Attack = { name: "some", sends: "", seconds: 1, run: async () => [] };
const shared = { ...bounds, leastSuccess: 0.95, latencyFactor: 5 } as typeof bounds;
const own = { ...bounds, leastSuccess: 1, latencyFactor: 3 } as typeof bounds;

const results = { calls: 1_000, succeeded: 1_000, p50: 4, p99: 20 };
const honest: HonestReport = { ...results, control: results, failures: [] };
const calm: Measured = {
  honest,
  unloaded: results,
  livez: { longestMs: 40, failures: [] },
  seconds: 2,
  peakResident: 100,
  heldMegabytes: 0,
  logBytes: 100,
  bugs: [],
  exit: undefined,
  own: [],
};

function findings(machine: Machine, more: Partial<HonestReport>, rest: Partial<Measured> = {}) {
  const measured = { ...calm, ...rest, honest: { ...honest, ...more } };
  return judge(attack, measured, machine === "own" ? own : shared, machine).findings;
}

const overloaded = (count: number) => ({
  succeeded: 1_000 - count,
  failures: [{ text: "REST get: 503 {}", count }],
});

describe("the verdict on an attack", () => {
  it.each<Machine>(["own", "shared"])("has no findings if all went well (%s)", (machine) => {
    expect(findings(machine, {})).toEqual([]);
  });

  it("is that the server failed if 10 % of the honest calls succeed, on any machine", () => {
    const found = [
      "honest clients: 100 of 1000 calls succeeded",
      "honest REST get: 503 {} (900 times)",
    ];
    expect(findings("shared", overloaded(900))).toEqual(found);
    expect(findings("own", overloaded(900))).toEqual(found);
  });

  it("allows 5 % of late failures on a shared machine, and none on an own one", () => {
    expect(findings("shared", overloaded(50))).toEqual([]);
    expect(findings("shared", overloaded(51))[0]).toBe(
      "honest clients: 949 of 1000 calls succeeded",
    );
    expect(findings("own", overloaded(1))[0]).toBe("honest clients: 999 of 1000 calls succeeded");
  });

  it.each([
    ["no call was made", { calls: 0, succeeded: 0 }, "honest clients: 0 of 0 calls succeeded"],
    [
      "a single response was wrong",
      { succeeded: 999, failures: [{ text: "REST get: 500 {}", count: 1 }] },
      "honest REST get: 500 {} (1 times)",
    ],
    [
      "the watch ended",
      { failures: [{ text: "the watch: [unavailable] ended", count: 1 }] },
      "honest the watch: [unavailable] ended (1 times)",
    ],
    [
      "half of the calls are slower than the slowest of the control",
      { p50: 101 },
      "honest p50 was 101 ms (limit 100 ms)",
    ],
    [
      "the control failed too",
      { control: { ...results, succeeded: 949 } },
      "the machine is too busy: of the control, 949 of 1000 calls succeeded",
    ],
  ])("is a failure on a shared machine if %s", (_, more, finding) => {
    expect(findings("shared", more)).toEqual([finding]);
  });

  it("allows for what the machine adds to the control", () => {
    const slow = { p50: 1_000, control: { ...results, p99: 200 } };
    expect(findings("shared", slow)).toEqual([]);
    expect(findings("own", { p99: 60 })).toEqual([]);
    expect(findings("own", { p99: 61 })).toEqual(["honest p99 was 61 ms (limit 60 ms)"]);
  });

  it("compares /livez with the control on a shared machine", () => {
    const livez = { longestMs: 3_000, failures: [] };
    const busy = { control: { ...results, p99: 150 } };
    expect(findings("shared", busy, { livez })).toEqual([]);
    expect(findings("shared", {}, { livez })).toEqual(["/livez took 3000 ms (limit 1000 ms)"]);
    expect(findings("own", busy, { livez })).toEqual(["/livez took 3000 ms (limit 1000 ms)"]);
    const failures = [{ text: "status 503", count: 1 }];
    expect(findings("shared", {}, { livez: { longestMs: 1, failures } })).toEqual([
      "/livez: status 503 (1 times)",
    ]);
  });

  it("can only be given if the control was served", () => {
    expect(isMeasurable(honest, shared)).toBe(true);
    expect(isMeasurable({ ...honest, control: { ...results, succeeded: 949 } }, shared)).toBe(
      false,
    );
    expect(isMeasurable({ ...honest, control: { ...results, calls: 0 } }, shared)).toBe(false);
  });
});
