import { expect, test, vi } from "vitest";
import { createRedisOutages } from "../../../src/observability/log/redis-outages.ts";
import { captureLog } from "../../support/captured-log.ts";
import { useFakeTime } from "../../support/fake-time.ts";

useFakeTime({ toFake: ["performance"] });

function start() {
  const { log, lines } = captureLog();
  return { lines, outages: createRedisOutages(log) };
}

test("each outage has a line at its beginning and one at its end, per server", () => {
  const { lines, outages } = start();
  outages.announce();
  outages.lost("a:1", "refused");
  vi.advanceTimersByTime(500);
  outages.lost("b:2", "reset");
  outages.lost("a:1", "refused again");
  vi.advanceTimersByTime(1_000);
  outages.recovered("a:1");
  outages.recovered("a:1");
  outages.recovered("b:2");
  expect(lines).toMatchObject([
    { level: 40, msg: "redis lost", server: "a:1", reason: "refused" },
    { level: 40, msg: "redis lost", server: "b:2", reason: "reset" },
    { level: 40, msg: "redis recovered", server: "a:1", outageMs: 1_500 },
    { level: 40, msg: "redis recovered", server: "b:2", outageMs: 1_000 },
  ]);
});

test("before the service has started, nothing is logged; then what is still lost", () => {
  const { lines, outages } = start();
  outages.lost("a:1", "refused");
  outages.lost("b:2", "refused");
  outages.recovered("a:1");
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(2_000);
  outages.announce();
  outages.recovered("b:2");
  expect(lines).toMatchObject([
    { msg: "redis lost", server: "b:2" },
    { msg: "redis recovered", server: "b:2", outageMs: 2_000 },
  ]);
});
