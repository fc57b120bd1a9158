import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type App, createApp } from "../../../src/app/app.ts";
import { readConfig } from "../../../src/config/config.ts";
import { createLog } from "../../../src/observability/log/log.ts";
import { createServiceMetrics } from "../../../src/observability/metrics/service-metrics.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import { someKey } from "../../support/accounts.ts";

const requests = 10_000;
const concurrent = 50;
const methods = ["GET", "POST", "PATCH", "DELETE", "PROPFIND", "PURGE"];

const metrics = createServiceMetrics();
const own: { app?: App; port: number } = { port: 0 };
const agent = new Agent({ keepAlive: true, maxSockets: concurrent });

beforeAll(async () => {
  own.app = createApp(
    readConfig({ PORT: "0" }),
    createMemoryStores(),
    createLog("silent"),
    metrics,
  );
  own.port = (await own.app.listen(0, "127.0.0.1")).port;
});
afterAll(() => {
  agent.destroy();
  return own.app?.drain(0);
});

/** Sends a request with a path, method and key that no other request has. */
function send(index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        port: own.port,
        method: methods[index % methods.length],
        path: `/v1/random-${index}/${index * 7}?q=${index}`,
        headers: {
          authorization: `Bearer ${someKey(`a${String(index).padStart(11, "0")}`).secret}`,
        },
      },
      (response) => response.resume().once("end", resolve),
    );
    sent.once("error", reject).end();
  });
}

async function sendAll(from: number, to: number): Promise<void> {
  let next = from;
  const client = async () => {
    while (next < to) {
      next += 1;
      await send(next);
    }
  };
  await Promise.all(Array.from({ length: concurrent }, client));
}

const seriesNow = () =>
  Object.entries(metrics.registry.snapshot()).flatMap(([name, series]) =>
    series.map(([labels]) => [name, ...labels].join(" ")),
  );

test("10,000 random paths and keys add no series", async () => {
  // The address is limited after some requests, which is another status.
  await sendAll(0, 1_000);
  const before = seriesNow();
  await sendAll(1_000, requests + 1_000);
  const after = seriesNow();
  expect(after.toSorted()).toEqual(before.toSorted());
  expect(after.filter((series) => /random|a0000|127\.0\.0\.1/.test(series))).toEqual([]);
  const counted = metrics.registry.snapshot().http_server_request_duration_seconds ?? [];
  const total = counted.reduce(
    (sum, [, values]) => sum + values.slice(0, -1).reduce((part, value) => part + value, 0),
    0,
  );
  expect(total).toBe(requests + 1_000);
  expect(new Set(counted.map(([[, route]]) => route))).toEqual(new Set(["_OTHER"]));
}, 120_000);
