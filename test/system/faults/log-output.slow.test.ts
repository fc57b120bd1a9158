import { closeSync, openSync } from "node:fs";
import { Agent } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { useRedis } from "../../support/stores.ts";
import { residentMegabytes } from "../harness/live-server.ts";
import { freePort } from "../harness/redis-server.ts";
import { runServer, useServers } from "../harness/server-process.ts";
import { send } from "./client.ts";
import { linesOf } from "./log-lines.ts";

const redis = useRedis();
const servers = useServers();

test("one process logs its settings once, and why and how long it stopped", async () => {
  const server = await servers.start({ REDIS_URL: redis.url, SLOW_REQUEST_MS: "1234" });
  await server.printed('"msg":"settings"');
  server.kill("SIGTERM");
  expect(await server.exited()).toMatchObject({ code: 0 });
  const [settings, ...more] = linesOf(server, "settings");
  expect(more).toEqual([]);
  expect(settings).toMatchObject({ node: process.version, settings: { SLOW_REQUEST_MS: "1234" } });
  const stopped = linesOf(server, "stopped");
  expect(stopped).toEqual([
    expect.objectContaining({ level: 30, reason: "SIGTERM", drainMs: expect.any(Number) }),
  ]);
  expect(stopped[0]).not.toHaveProperty("worker");
  // Nothing was left in memory at the exit.
  expect(server.stdout.trimEnd().split("\n").at(-1)).toContain('"msg":"stopped"');
});

test("of two workers, the first logs the settings, and each logs its start and stop with its number", async () => {
  const server = await servers.start({ REDIS_URL: redis.url, WORKERS: "2" });
  await server.printed('"msg":"listening"', 2, 15_000);
  server.kill("SIGTERM");
  expect(await server.exited()).toMatchObject({ code: 0 });
  const workersOf = (msg: string) => linesOf(server, msg).map(({ worker }) => worker);
  expect(workersOf("settings")).toEqual([1]);
  expect(workersOf("listening").sort()).toEqual([1, 2]);
  expect(workersOf("stopped").sort()).toEqual([1, 2]);
});

/** Whether a path returns 200. Uses a connection of its own. */
const responds = (url: string) =>
  send(url).then(
    ({ status }) => status === 200,
    () => false,
  );

/** More than the pipe and the log hold together: 40,000 lines of more than 300 bytes are 12 MB. */
const requests = 40_000;

/** What the log may add while nothing reads it, in MB: 4 of lines, their copies, and what requests need anyway. */
const mostGrowthMb = 50;

test("if nothing reads standard output, the service goes on, its memory does not grow, and it ends on SIGTERM", async () => {
  const port = await freePort();
  const admin = await freePort();
  const server = runServer(
    {
      PORT: String(port),
      ADMIN_ADDR: `127.0.0.1:${admin}`,
      REDIS_URL: redis.url,
      ACCESS_LOG: "all",
      ACCESS_LOG_LINES_PER_SECOND: "1000000",
    },
    { stdio: ["ignore", "pipe", "inherit"], keepsOutput: false },
  );
  const { child } = server;
  const url = `http://127.0.0.1:${port}`;
  await server.until("the service is ready", () => responds(`${url}/readyz`));

  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  onTestFinished(() => agent.destroy());
  // An id of 100 bytes makes the lines long.
  const headers = { "x-request-id": "x".repeat(100) };
  const ask = async (count: number) => {
    for (let made = 0; made < count; made++) {
      expect((await send(`${url}/livez`, { agent, headers })).status).toBe(200);
    }
  };
  const askAll = (count: number) =>
    Promise.all(Array.from({ length: 16 }, () => ask(Math.ceil(count / 16))));
  await askAll(requests / 2);
  const before = residentMegabytes(server.pid);
  await askAll(requests / 2);
  expect(residentMegabytes(server.pid) - before).toBeLessThan(mostGrowthMb);

  const metrics = await (await fetch(`http://127.0.0.1:${admin}/metrics`)).text();
  const dropped = Number(/^inventory_log_lines_dropped_total (\d+)/m.exec(metrics)?.[1]);
  expect(dropped).toBeGreaterThan(0);
  expect(server.exit).toBeUndefined();

  // A stalled reader does not keep the process alive. What was written are whole lines.
  let text = "";
  child.once("exit", () => {
    child.stdout?.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  });
  expect((await server.end("SIGTERM")).signal).toBe("SIGKILL");
  const lines = text.split("\n").slice(0, -1);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
}, 120_000);

/** Settings of the ways to run the service. */
const groups = (): Record<string, string>[] => [
  {},
  { REDIS_URL: redis.url },
  { REDIS_URL: redis.url, WORKERS: "2" },
];

describe.each([0, 1, 2])("in group %i", (group) => {
  test.each(["pipe", "disk"])(
    "a closed pipe or a full disk as the output ends nothing, and SIGTERM drains: %s",
    async (kind) => {
      const port = await freePort();
      const full = kind === "disk" ? openSync("/dev/full", "w") : "pipe";
      const server = runServer(
        { PORT: String(port), ...groups()[group] },
        { stdio: ["ignore", full, full], keepsOutput: false },
      );
      if (typeof full === "number") closeSync(full);
      // Nothing reads the first line, either.
      server.child.stdout?.destroy();
      server.child.stderr?.destroy();
      const url = `http://127.0.0.1:${port}`;
      await server.until("the service responds", () => responds(`${url}/livez`));
      // These have a line in the log, whose write fails.
      for (let k = 0; k < 3; k++) expect((await send(`${url}/livez`)).status).toBe(200);
      const signalledAt = performance.now();
      expect((await server.end("SIGTERM")).code).toBe(0);
      expect(performance.now() - signalledAt).toBeLessThan(5_000);
    },
  );
});
