import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLog, type Log } from "../../../src/observability/log/log.ts";
import { startSummaries } from "../../../src/observability/log/summaries.ts";
import type { LogLine } from "../../support/server.ts";

const own = { lines: [] as LogLine[], log: undefined as Log | undefined };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
  own.lines = [];
  own.log = createLog("info", undefined, { write: (text) => own.lines.push(JSON.parse(text)) });
});
afterEach(() => {
  vi.useRealTimers();
});

const start = () => startSummaries(own.log as Log);

test("refused requests have one line a minute, with counts by reason and the keys with the most", () => {
  const summaries = start();
  for (let key = 0; key < 8; key++) {
    for (let count = 0; count <= key; count++) summaries.refused("RATE_LIMITED", `key ${key}`);
  }
  for (let count = 0; count < 3; count++) summaries.refused("ADDRESS_LIMITED", undefined);
  expect(own.lines).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(own.lines).toMatchObject([
    {
      level: 30,
      msg: "requests were refused with 429",
      requests: 39,
      reasons: { RATE_LIMITED: 36, ADDRESS_LIMITED: 3 },
      keys: 8,
      topKeys: [
        { keyId: "key 7", requests: 8 },
        { keyId: "key 6", requests: 7 },
        { keyId: "key 5", requests: 6 },
        { keyId: "key 4", requests: 5 },
        { keyId: "key 3", requests: 4 },
      ],
    },
  ]);
  vi.advanceTimersByTime(600_000);
  expect(own.lines).toHaveLength(1);
});

test("a summary counts only the requests since the one before", () => {
  const summaries = start();
  for (const keyId of ["a", "a", "b"]) summaries.refused("RATE_LIMITED", keyId);
  vi.advanceTimersByTime(60_000);
  summaries.refused("KEY_BANNED", "b");
  vi.advanceTimersByTime(60_000);
  const [, second] = own.lines;
  const { requests, reasons, keys, topKeys } = second ?? {};
  expect({ requests, reasons, keys, topKeys }).toEqual({
    requests: 1,
    reasons: { KEY_BANNED: 1 },
    keys: 1,
    topKeys: [{ keyId: "b", requests: 1 }],
  });
});

test("a flood with a million keys has a short line, and at most 1,000 keys are counted one by one", () => {
  const summaries = start();
  for (let key = 0; key < 1_000_000; key++) summaries.refused("RATE_LIMITED", `key ${key}`);
  vi.advanceTimersByTime(60_000);
  expect(own.lines).toMatchObject([{ requests: 1_000_000, keys: 1_000 }]);
  expect(JSON.stringify(own.lines).length).toBeLessThan(1_000);
});

test("connections that were closed because of limits have one line a minute", () => {
  const summaries = start();
  for (let count = 0; count < 5_000; count++) summaries.connectionDropped("MAX_CONNECTIONS");
  summaries.connectionDropped("HTTP2_FLOOD");
  vi.advanceTimersByTime(60_000);
  vi.advanceTimersByTime(60_000);
  expect(own.lines).toMatchObject([
    { level: 40, causes: { MAX_CONNECTIONS: 5_000, HTTP2_FLOOD: 1 } },
  ]);
});

test("dropped lines have one line a minute", () => {
  start();
  for (let count = 0; count < 105; count++) own.log?.warn("a fault");
  vi.advanceTimersByTime(120_000);
  expect(own.lines.slice(5)).toMatchObject([{ msg: "log lines were dropped", lines: 100 }]);
});

test("the last summary is written when the process stops", () => {
  const summaries = start();
  summaries.refused("KEY_BANNED", "key");
  summaries.stop();
  expect(own.lines).toMatchObject([{ requests: 1, reasons: { KEY_BANNED: 1 } }]);
  expect(vi.getTimerCount()).toBe(0);
});
