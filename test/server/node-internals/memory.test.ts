import { expect, it } from "vitest";
import { collectGarbage } from "../../../src/server/node-internals/garbage-collector.ts";

it("A new context has the function that collects garbage", () => {
  let garbage: unknown = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  expect(garbage).toHaveLength(1_000_000);
  garbage = undefined;
  const before = process.memoryUsage().heapUsed;
  collectGarbage({ type: "major", execution: "sync", flavor: "last-resort" });
  expect(process.memoryUsage().heapUsed).toBeLessThan(before - 16 * 1024 * 1024);
});
