import { expect, test, vi } from "vitest";
import { startSummaries } from "../../../src/observability/log/summaries.ts";
import { captureLog } from "../../support/captured-log.ts";
import { useFakeTime } from "../../support/fake-time.ts";

useFakeTime({ toFake: ["performance", "setInterval", "clearInterval"] });

function start() {
  const { log, lines } = captureLog();
  return { log, lines, ...startSummaries(log) };
}

test("refused requests have one line a minute, with counts by reason and the keys with the most", () => {
  const { lines, refused } = start();
  for (let key = 0; key < 8; key++) {
    for (let count = 0; count <= key; count++) refused("RATE_LIMITED", `key ${key}`);
  }
  for (let count = 0; count < 3; count++) refused("ADDRESS_LIMITED", undefined);
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(lines).toMatchObject([
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
  expect(lines).toHaveLength(1);
});

test("a summary counts only the requests since the one before", () => {
  const { lines, refused } = start();
  for (const keyId of ["a", "a", "b"]) refused("RATE_LIMITED", keyId);
  vi.advanceTimersByTime(60_000);
  refused("KEY_BANNED", "b");
  vi.advanceTimersByTime(60_000);
  const [, second] = lines;
  const { requests, reasons, keys, topKeys } = second ?? {};
  expect({ requests, reasons, keys, topKeys }).toEqual({
    requests: 1,
    reasons: { KEY_BANNED: 1 },
    keys: 1,
    topKeys: [{ keyId: "b", requests: 1 }],
  });
});

test("a flood with a million keys has a short line, and at most 1,000 keys are counted one by one", () => {
  const { lines, refused } = start();
  for (let key = 0; key < 1_000_000; key++) refused("RATE_LIMITED", `key ${key}`);
  vi.advanceTimersByTime(60_000);
  expect(lines).toMatchObject([{ requests: 1_000_000, keys: 1_000 }]);
  expect(JSON.stringify(lines).length).toBeLessThan(1_000);
});

test("connections that were closed because of limits have one line a minute", () => {
  const { lines, connectionDropped } = start();
  for (let count = 0; count < 5_000; count++) connectionDropped("MAX_CONNECTIONS");
  connectionDropped("HTTP2_FLOOD");
  vi.advanceTimersByTime(60_000);
  vi.advanceTimersByTime(60_000);
  expect(lines).toMatchObject([{ level: 40, causes: { MAX_CONNECTIONS: 5_000, HTTP2_FLOOD: 1 } }]);
});

test("dropped lines have one line a minute", () => {
  const { log, lines } = start();
  for (let count = 0; count < 105; count++) log.warn("a fault");
  vi.advanceTimersByTime(120_000);
  expect(lines.slice(5)).toMatchObject([{ msg: "log lines were dropped", lines: 100 }]);
});

test("the last summary is written when the process stops", () => {
  const { lines, refused, stop } = start();
  refused("KEY_BANNED", "key");
  stop();
  expect(lines).toMatchObject([{ requests: 1, reasons: { KEY_BANNED: 1 } }]);
  expect(vi.getTimerCount()).toBe(0);
});
