import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { activityBetween, parseMetrics } from "../../src/cli/accounts/top-metrics.ts";
import { listen } from "../support/listen.ts";
import { useRedis } from "../support/stores.ts";
import { freePort } from "../system/harness/redis-server.ts";
import { outcomeOf, runHere, startThere } from "./command-line.ts";

/** Metrics with a number of decisions, and of fast and slow operations on Redis. */
function metrics(admitted: number, limited: number, fast: number, slow: number): string {
  return [
    `inventory_admission_decisions_total{verdict="admitted",plan="free"} ${admitted}`,
    `inventory_admission_decisions_total{verdict="admitted",plan="pro"} ${admitted}`,
    `inventory_admission_decisions_total{verdict="limited",plan="free"} ${limited}`,
    `db_client_operation_duration_seconds_bucket{db_operation_name="EVALSHA",le="0.001"} ${fast}`,
    `db_client_operation_duration_seconds_bucket{db_operation_name="EVALSHA",le="0.1"} ${fast + slow}`,
    `db_client_operation_duration_seconds_bucket{db_operation_name="EVALSHA",le="+Inf"} ${fast + slow}`,
    "# EOF",
  ].join("\n");
}

describe("the activity between two samples", () => {
  const between = (before: string, after: string) =>
    activityBetween(parseMetrics(before, 1_000), parseMetrics(after, 3_000));

  test("has the rates of all plans together, and the latency of Redis in between", () => {
    expect(between(metrics(10, 0, 100, 100), metrics(20, 4, 198, 102))).toEqual({
      requestsPerSecond: 12,
      verdicts: { admitted: 10, limited: 2 },
      redis: { p50Ms: 1, p99Ms: 100 },
    });
  });

  test("counts from 0 after a restart of the service", () => {
    expect(between(metrics(500, 0, 0, 0), metrics(4, 0, 0, 0))).toEqual({
      requestsPerSecond: 4,
      verdicts: { admitted: 4, limited: 0 },
      redis: undefined,
    });
  });
});

describe("top", () => {
  const redis = useRedis();

  /**
   * Serves metrics of a service. @returns its URL
   *
   * @param admittedAt returns the number of requests so far; by default, it grows with each read
   */
  async function adminPort(admittedAt = (reads: number) => reads * 100): Promise<string> {
    let reads = 0;
    const server = createServer((_, response) => {
      reads += 1;
      response.end(metrics(admittedAt(reads), 0, reads * 50, 0));
    });
    onTestFinished(() => void server.close());
    return listen(server);
  }

  const top = (admin: string, ...options: string[]) =>
    runHere(["top --once --interval 1s --admin", admin, ...options], { redisUrl: redis.url });

  test("--once prints the rates of one interval", async () => {
    await redis.client.flushdb();
    const { code, stdout, stderr } = await top(await adminPort(), "--output=json");
    expect([code, stderr]).toEqual([0, ""]);
    const shown = JSON.parse(stdout);
    expect(shown).toMatchObject({ redis: { p50Ms: 1, p99Ms: 1 }, accounts: [] });
    // 200 requests in a second or a little more.
    expect(shown.requestsPerSecond).toBeGreaterThan(20);
    expect(shown.requestsPerSecond).toBeLessThanOrEqual(210);
    expect((await top(await adminPort())).stdout).toMatch(
      /^requests +[\d.]+ a second\n +admitted /,
    );
  });

  test("each line has the rates since the line before", async () => {
    await redis.client.flushdb();
    let count = 0;
    const admin = await adminPort((reads) => {
      count = reads;
      return reads === 1 ? 0 : 1_000;
    });
    const running = startThere(["top --interval 1s --admin", admin], redis.url);
    await expect.poll(() => count, { timeout: 15_000 }).toBeGreaterThan(3);
    running.kill("SIGTERM");
    const lines = (await outcomeOf(running)).stdout.trimEnd().split("\n");
    const [first, second] = lines.map((line) => JSON.parse(line).requestsPerSecond);
    expect(first).toBeGreaterThan(0);
    expect(second).toBe(0);
  });

  test("says that it waits during an outage, and goes on after it", async () => {
    await redis.client.flushdb();
    let reads = 0;
    const server = createServer((_, response) => {
      reads += 1;
      response.statusCode = reads === 3 ? 503 : 200;
      response.end(metrics(reads * 100, 0, reads * 50, 0));
    });
    onTestFinished(() => void server.close());
    const admin = await listen(server);
    const running = startThere(["top --interval 1s --admin", admin], redis.url);
    await expect.poll(() => reads, { timeout: 15_000 }).toBeGreaterThan(4);
    running.kill("SIGTERM");
    const { code, stdout, stderr } = await outcomeOf(running);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^waiting: --admin: .* the status 503.*\n$/),
    ]);
    expect(stdout.trimEnd().split("\n").length).toBeGreaterThan(1);
  });

  test("an admin port that refuses connections is named, with what to do: exit code 8", async () => {
    const { code, stderr } = await top(`http://127.0.0.1:${await freePort()}`);
    expect([code, stderr]).toEqual([
      8,
      expect.stringMatching(/^error: --admin: cannot read http:.*ECONNREFUSED.*ADMIN_ADDR/),
    ]);
  });

  test("--interval must be at least a second: exit code 2", async () => {
    const { code, stderr } = await runHere(["top --interval 0"], { redisUrl: redis.url });
    expect([code, stderr]).toEqual([2, "error: --interval: must be at least 1s\n"]);
  });

  test("--admin must be a URL: exit code 2", async () => {
    const { code, stderr } = await top("localhost");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--admin: must be a URL")]);
  });
});
