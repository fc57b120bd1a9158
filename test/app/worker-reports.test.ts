import { expect, test } from "vitest";
import { createWorkerAnswers, createWorkerReports } from "../../src/app/worker-reports.ts";
import { add, type Metric, set } from "../../src/observability/metrics/metric.ts";
import { createRegistry, type Snapshot } from "../../src/observability/metrics/registry.ts";

const requests: Metric = { name: "requests", type: "counter", help: "" };
const open: Metric = { name: "open", type: "gauge", help: "" };

/** Starts a parent with a worker that has counted 5 requests, of which 2 are open. */
function start() {
  const reports = createWorkerReports(1, [requests, open], createRegistry(), () => {});
  const registry = createRegistry();
  add(registry.family(requests).with(), 5);
  set(registry.family(open).with(), 2);
  const worker = { id: 1, send: (message: object) => queueMicrotask(() => answer(message)) };
  const answer = createWorkerAnswers(
    { send: (message) => reports.received(worker, message) },
    {
      report: async (kind) => ({
        snapshot: kind === "metrics" ? registry.snapshot() : {},
        isStopping: false,
        servers: [],
      }),
      diagnose: async () => "",
    },
  );
  reports.started(worker);
  return { reports, end: () => reports.ended(worker) };
}

const valuesOf = (snapshot: Snapshot) =>
  [requests, open].map(({ name }) => snapshot[name]?.[0]?.[1][0]);

test("the counts of a worker that has ended stay in the totals, and its gauges do not", async () => {
  const { reports, end } = start();
  expect(valuesOf((await reports.report("metrics")).snapshot)).toEqual([5, 2]);
  end();
  expect(valuesOf((await reports.report("metrics")).snapshot)).toEqual([5, undefined]);
});

test("a report on health loses no counts", async () => {
  const { reports, end } = start();
  await reports.report("metrics");
  expect((await reports.report("health")).processes).toHaveLength(1);
  end();
  expect(valuesOf((await reports.report("metrics")).snapshot)).toEqual([5, undefined]);
});
