import { beforeAll, describe, expect, test } from "vitest";
import { addAccount, addKey } from "../../support/accounts.ts";
import { useRedis } from "../../support/stores.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { keepAlive, send } from "./client.ts";
import { useStores } from "./stores.ts";

const redis = useRedis();
const servers = useServers();
const own = useStores(redis);

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
    const account = await addAccount(own.stores, { plan: "free" });
    const key = (await addKey(own.stores, account)).secret;
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
