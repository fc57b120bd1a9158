import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { metrics } from "../../../src/observability/metrics/definitions.ts";
import { measureProcess } from "../../../src/observability/metrics/process-metrics.ts";
import { createRegistry } from "../../../src/observability/metrics/registry.ts";

const blockedMs = 400;

function block(): void {
  for (const end = performance.now() + blockedMs; performance.now() < end; );
}

/** Waits until the delay was sampled, which happens every 20 ms: timers fire in the order of their times. */
const samples = () => delay(50);

test("the delays of the event loop are those since the last scrape", async () => {
  const registry = createRegistry();
  measureProcess(registry, "1.0.0");
  const longestMs = () => {
    const [[, [seconds = 0] = []] = []] = registry.snapshot()[metrics.eventLoopDelayMax.name] ?? [];
    return 1_000 * seconds;
  };
  await samples();
  block();
  await samples();
  expect(longestMs()).toBeGreaterThan(blockedMs / 2);
  await expect.poll(longestMs).toBeLessThan(blockedMs / 2);
});
