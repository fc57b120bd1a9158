import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Code } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test } from "vitest";
import { reasonOf } from "../../../src/contract/errors.ts";
import { useRedis } from "../../support/stores.ts";
import { grpc, startWatch, watchProtocols } from "../../support/watch.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { grpcClient, keepAlive, restClient, send } from "./client.ts";
import { useStores } from "./stores.ts";

/** An idle server must exit within this time, in ms. */
const promptMs = 1_000;

// With an option, Redis is a separate server for this file.
const redis = useRedis("--maxmemory-policy", "noeviction");
const servers = useServers();
const own = useStores(redis);

const startServer = (environment: Readonly<Record<string, string>> = {}) =>
  servers.start({ REDIS_URL: redis.url, ...environment });

/** Signals the server and checks that it exits with code 0 and without an error. @returns the time, in ms */
async function expectEnd(server: ServerProcess, signal: NodeJS.Signals): Promise<number> {
  const signalledAt = performance.now();
  server.kill(signal);
  const { code, at } = await server.exited();
  expect(code).toBe(0);
  expect(server.stderr).toBe("");
  expect(server.stdout.trimEnd().split("\n").at(-1)).toContain('"msg":"stopped"');
  return at - signalledAt;
}

/** Opens a TCP connection that collects what it receives. */
async function open(port: number): Promise<Socket & { received: string }> {
  const socket = Object.assign(connect(port, "127.0.0.1"), { received: "" });
  onTestFinished(() => void socket.destroy());
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => {
    socket.received += text;
  });
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

const patchHead = (length: number, more = "") =>
  `PATCH /v1/inventory/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own.key}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`;

test("requests that wait for Redis get 200 before the server closes its Redis connection", async () => {
  const server = await startServer();
  const agent = keepAlive(8);
  const clients = [
    ...Array.from({ length: 8 }, () => restClient(server.url, own.key, agent)),
    grpcClient(server.url, own.key),
  ];
  const all = () => Promise.all(clients.map((client) => client.list()));
  const control = keepAlive(1);
  await Promise.all([all(), send(`${server.url}/livez`, { agent: control })]);

  redis.server.pause();
  const outcomes = all();
  // The connections are open already, so that the server has read the other requests before this one.
  await send(`${server.url}/livez`, { agent: control });
  server.kill("SIGTERM");
  await server.printed('"msg":"draining"');
  redis.server.resume();

  expect(new Set((await outcomes).map(({ code }) => code))).toEqual(new Set(["ok"]));
  expect(await server.exited()).toMatchObject({ code: 0 });
});

test("an endless request is cut off when DRAIN_TIMEOUT_MS has passed", async () => {
  const server = await startServer({ DRAIN_TIMEOUT_MS: "300" });
  const endless = await open(server.port);
  endless.write(patchHead(100, "Expect: 100-continue\r\n"));
  await until("the server asks for the body", () =>
    endless.received.startsWith("HTTP/1.1 100 Continue"),
  );
  const closed = once(endless, "close");
  const ms = await expectEnd(server, "SIGTERM");
  await closed;
  expect(ms).toBeGreaterThanOrEqual(300);
  expect(ms).toBeLessThan(300 + promptMs);
});

describe("SIGTERM while Redis is unavailable", () => {
  test.each([false, true])(
    "Redis has stalled: the server exits in time, having given up: %s",
    async (gaveUp) => {
      const server = await startServer();
      const list = () => restClient(server.url, own.key).list();
      expect((await list()).code).toBe("ok");
      redis.server.pause();
      if (gaveUp) {
        await list();
        await server.printed("redis is not available");
      }
      const ms = await expectEnd(server, "SIGTERM");
      redis.server.resume();
      expect(ms).toBeLessThan(promptMs);
    },
  );

  test("Redis was killed: the server exits at once", async () => {
    const server = await startServer();
    await redis.server.kill();
    await server.printed("redis is not available", 2);
    const ms = await expectEnd(server, "SIGTERM");
    await redis.server.start();
    expect(ms).toBeLessThan(promptMs);
  });
});

test("SIGTERM: watches end at once with an error that says to reconnect, and the server exits", async () => {
  const server = await servers.start({ DRAIN_TIMEOUT_MS: "20000" });
  const secret = /inv_[0-9a-z]+/.exec(server.stdout)?.[0] ?? "";
  const watches = watchProtocols.map((protocol) =>
    startWatch(protocol, { url: server.url, secret }),
  );
  const another = startWatch(grpc, { url: server.url, secret });
  await Promise.all([...watches, another].map((watch) => watch.reached(5n)));

  const signalledAt = performance.now();
  server.kill("SIGTERM");
  const failures = await Promise.all(watches.map((watch) => watch.failure()));
  expect(failures.map(({ code }) => Code[code])).toEqual(watches.map(() => "Unavailable"));
  expect(failures.map(({ rawMessage }) => rawMessage)).toEqual(
    watches.map(() => expect.stringContaining("shutting down")),
  );
  expect(reasonOf(await another.failure())).toBe("SERVER_DRAINING");
  const { code, at } = await server.exited();
  expect(code).toBe(0);
  expect(at - signalledAt).toBeLessThan(promptMs);
});
