import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { installPackages } from "../../system/harness/debian-packages.ts";
import { type ServerProcess, useServers } from "../../system/harness/server-process.ts";
import { until } from "../../system/harness/until.ts";

const redis = useRedis();
const servers = useServers();
const own: { stores?: Stores; server?: ServerProcess; secret: string } = { secret: "" };

beforeAll(async () => {
  installPackages({ h2load: "nghttp2-client" });
  const stores = openRedisStores(redis.url);
  own.stores = stores;
  await stores.ready(5_000);
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
  const account = await addAccount(stores, { plan: "enterprise", limits });
  own.secret = (await addKey(stores, account)).secret;
  own.server = await servers.start({
    REDIS_URL: redis.url,
    WORKERS: "2",
    ADMIN_ADDR: "127.0.0.1:0",
  });
  await own.server.printed('"msg":"listening"', 2, 15_000);
}, 360_000);
afterAll(() => own.stores?.close());

function server(): ServerProcess {
  if (!own.server) throw new Error("the server has not started");
  return own.server;
}

async function admin(path: string): Promise<string> {
  const [, url] = /"url":"([^"]+)","msg":"admin port"/.exec(server().stdout) ?? [];
  return (await fetch(`${url}${path}`)).text();
}

/** Returns the sum of a metric over all series that match. */
function sumOf(text: string, name: string, labels = /./): number {
  const values = text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => labels.test(line))
    .map((line) => Number(line.slice(line.lastIndexOf(" "))));
  return values.reduce((sum, value) => sum + value, 0);
}

const durations = "http_server_request_duration_seconds_count";
const listed = /http_route="\/v1\/inventory",http_response_status_code="200"/;

const workerPids = () =>
  readFileSync(`/proc/${server().pid}/task/${server().pid}/children`, "utf8")
    .trim()
    .split(" ")
    .map(Number);

describe("the metrics of two workers", () => {
  test("count 10,000 requests to the one", async () => {
    const { stdout } = await promisify(execFile)("h2load", [
      "--h1",
      "-n10000",
      "-c20",
      `-HAuthorization: Bearer ${own.secret}`,
      `${server().url}/v1/inventory`,
    ]);
    expect(stdout).toContain("10000 succeeded, 0 failed");
    const text = await admin("/metrics");
    expect(sumOf(text, durations, listed)).toBe(10_000);
    const admitted = /verdict="admitted",plan="enterprise"/;
    expect(sumOf(text, "inventory_admission_decisions_total", admitted)).toBe(10_000);
    expect(sumOf(text, "inventory_workers")).toBe(2);
    expect(sumOf(text, "inventory_requests_in_flight")).toBe(0);
  });

  test("do not wait for a hung worker, and show its last counts", async () => {
    const [hung = 0] = workerPids();
    process.kill(hung, "SIGSTOP");
    try {
      const startedAt = performance.now();
      const text = await admin("/metrics");
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      expect(sumOf(text, "inventory_workers_silent")).toBe(1);
      expect(sumOf(text, durations, listed)).toBe(10_000);
    } finally {
      process.kill(hung, "SIGCONT");
    }
  });

  test("keep the counts of a killed worker", async () => {
    const [killed = 0] = workerPids();
    await admin("/metrics");
    process.kill(killed, "SIGKILL");
    await server().printed('"msg":"listening"', 3, 15_000);
    const text = await until("the new worker reports", async () => {
      const now = await admin("/metrics");
      return sumOf(now, "inventory_workers") === 2 && now;
    });
    expect(sumOf(text, durations, listed)).toBe(10_000);
    expect(sumOf(text, "inventory_worker_restarts_total")).toBe(1);
  });

  test("keep the counts of a worker that has stopped, also those since its last report", async () => {
    const before = sumOf(await admin("/metrics"), durations, listed);
    const headers = { authorization: `Bearer ${own.secret}` };
    for (let sent = 0; sent < 20; sent += 1) {
      const { status } = await fetch(`${server().url}/v1/inventory`, { headers });
      expect(status).toBe(200);
    }
    for (const pid of workerPids()) process.kill(pid, "SIGTERM");
    await server().printed('"msg":"listening"', 5, 15_000);
    const text = await until("the new workers report", async () => {
      const now = await admin("/metrics");
      return sumOf(now, "inventory_workers") === 2 && now;
    });
    expect(sumOf(text, durations, listed)).toBe(before + 20);
  });
});
