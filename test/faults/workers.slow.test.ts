import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";
import { keepAlive, send } from "./client.ts";
import { type ServerProcess, useServers } from "./server-process.ts";
import { until } from "./until.ts";

const redis = useRedis();
const servers = useServers();
const own: { stores?: Stores } = {};

beforeAll(async () => {
  own.stores = openRedisStores(redis.url);
  await own.stores.ready(5_000);
});
afterAll(() => own.stores?.close());

async function newKey(): Promise<string> {
  if (!own.stores) throw new Error("no stores");
  return (await addKey(own.stores, await addAccount(own.stores, { plan: "free" }))).secret;
}

/** Starts a server with two workers, and waits until both listen. */
async function startTwo(): Promise<ServerProcess> {
  const server = await servers.start({ REDIS_URL: redis.url, WORKERS: "2", ACCESS_LOG: "all" });
  await server.printed('"msg":"listening"', 2, 15_000);
  return server;
}

/** The log lines that have a field. */
function logged({ stdout }: ServerProcess, field: string): readonly Record<string, unknown>[] {
  return stdout
    .split("\n")
    .filter((line) => line.includes(`"${field}":`))
    .map((line) => JSON.parse(line));
}

describe("two workers", () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startTwo();
  });

  test("share a port and the limits: 60 of 100 requests with a free key get 200", async () => {
    const key = await newKey();
    const agent = keepAlive(20);
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => send(`${server.url}/v1/inventory`, { key, agent })),
    );
    agent.destroy();
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(40);
    await until("the log has every request", () => logged(server, "route").length >= 100);
    expect(new Set(logged(server, "route").map(({ worker }) => worker))).toEqual(new Set([1, 2]));
  });

  test("if one is killed, the other continues to serve, and a new one replaces it", async () => {
    const pid = logged(server, "pid").find(({ worker }) => worker === 1)?.pid;
    process.kill(Number(pid), "SIGKILL");
    await server.printed("a worker ended and is replaced");
    expect((await send(`${server.url}/livez`)).status).toBe(200);
    await server.printed('"msg":"listening"', 3, 15_000);
  });

  test("drain on SIGTERM, and the server exits with code 0", async () => {
    const agent = keepAlive(8);
    await Promise.all(Array.from({ length: 8 }, () => send(`${server.url}/livez`, { agent })));
    server.kill("SIGTERM");
    expect(await server.exited()).toMatchObject({ code: 0, signal: null });
    agent.destroy();
    expect(server.stdout.split('"msg":"stopped"')).toHaveLength(3);
    expect(server.stderr).toBe("");
  });
});

test("exit code 1 for a port in use, which is reported once", async () => {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
  const { port } = blocker.address() as AddressInfo;
  const server = servers.run({ REDIS_URL: redis.url, WORKERS: "2", PORT: String(port) });
  expect(await server.exited()).toMatchObject({ code: 1 });
  expect(server.stderr).toBe(`port ${port} of 127.0.0.1 is in use: set PORT to another port\n`);
  blocker.close();
});

test("exit code 1 for a Redis that cannot be used, which is reported once", async () => {
  const server = servers.run({ REDIS_URL: "redis://127.0.0.1:1", WORKERS: "2", PORT: "0" });
  expect(await server.exited()).toMatchObject({ code: 1 });
  expect(server.stderr).toMatch(/^REDIS_URL: cannot connect to Redis at 127\.0\.0\.1:1: [^\n]*\n$/);
});

test("if the primary process is killed, its workers exit", async () => {
  const server = await startTwo();
  const pids = logged(server, "pid").map(({ pid }) => Number(pid));
  expect(pids).toHaveLength(2);
  server.kill("SIGKILL");
  await until("the workers have exited", () => pids.every((pid) => !isRunning(pid)), 15_000);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
