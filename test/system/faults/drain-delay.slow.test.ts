import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "../../../packages/connect-gateway/gen/health/v1/health_pb.ts";
import { useRedis } from "../../support/stores.ts";
import { grpc, startWatch } from "../../support/watch.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { keepAlive, send } from "./client.ts";
import { linesOf } from "./log-lines.ts";

const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;

/** The default delay, and the time in which a server without a delay exits, in ms. */
const defaultMs = 5_000;
const promptMs = 1_000;

const redis = useRedis();
const servers = useServers();

const healthOf = ({ url }: ServerProcess) =>
  createClient(Health, createGrpcTransport({ baseUrl: url }));

/** Signals the server, and checks that it exits with code 0. @returns the time that this takes, in ms */
async function stop(server: ServerProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<number> {
  const signalledAt = performance.now();
  server.kill(signal);
  const { code, at } = await server.exited();
  expect(code).toBe(0);
  expect(server.stderr).toBe("");
  return at - signalledAt;
}

describe.concurrent("the time between SIGTERM and the drain", () => {
  const expectDefault = (ms: number) => {
    expect(ms).toBeGreaterThan(defaultMs);
    expect(ms).toBeLessThan(2 * defaultMs);
  };

  test.each<[what: string, ask: (server: ServerProcess) => Promise<unknown>, answer: unknown]>([
    ["a request for /readyz", async ({ url }) => (await send(`${url}/readyz`)).status, 200],
    ["a gRPC health check", async (server) => (await healthOf(server).check({})).status, SERVING],
  ])("is 5 s after %s", async (_, ask, answer) => {
    const server = await servers.start();
    expect(await ask(server)).toBe(answer);
    expectDefault(await stop(server));
  });

  test("is 5 s while a gRPC health watch is open, which receives NOT_SERVING at once", async () => {
    const server = await servers.start();
    const watch = healthOf(server).watch({})[Symbol.asyncIterator]();
    expect((await watch.next()).value?.status).toBe(SERVING);
    const signalledAt = performance.now();
    const stopped = stop(server);
    expect((await watch.next()).value?.status).toBe(NOT_SERVING);
    expect(performance.now() - signalledAt).toBeLessThan(promptMs);
    expectDefault(await stopped);
    expect((await watch.next()).done).toBe(true);
  });

  test("is 0 if nothing polls readiness", async () => {
    const server = await servers.start();
    expect((await send(`${server.url}/livez`)).status).toBe(200);
    expect(await stop(server)).toBeLessThan(promptMs);
  });

  test("is 0 after SIGINT", async () => {
    const server = await servers.start({ DRAIN_DELAY_MS: "60000" });
    await send(`${server.url}/readyz`);
    expect(await stop(server, "SIGINT")).toBeLessThan(promptMs);
  });

  test("is DRAIN_DELAY_MS if that is set", async () => {
    const [none, some] = await Promise.all([
      servers.start({ DRAIN_DELAY_MS: "0" }),
      servers.start({ DRAIN_DELAY_MS: "1500", DRAIN_TIMEOUT_MS: "0" }),
    ]);
    await send(`${none.url}/readyz`);
    const [noneMs, someMs] = await Promise.all([stop(none), stop(some)]);
    expect(noneMs).toBeLessThan(promptMs);
    expect(someMs).toBeGreaterThan(1_500);
    expect(someMs).toBeLessThan(1_500 + promptMs);
  });

  test.each([
    ["1", "SIGTERM", 143],
    ["1", "SIGINT", 130],
    ["2", "SIGTERM", 143],
  ] as const)(
    "is cut short by another signal after a second, with WORKERS=%s: %s",
    async (workers, signal, exitCode) => {
      const server = await servers.start({
        DRAIN_DELAY_MS: "60000",
        WORKERS: workers,
        REDIS_URL: redis.url,
      });
      await server.printed('"msg":"listening"', Number(workers), 15_000);
      const signalledAt = performance.now();
      server.kill("SIGTERM");
      await server.printed("not ready any more", Number(workers));
      // A signal in the first second is the same stop, so this is repeated.
      const kill = () => {
        server.kill(signal);
        return server.exit;
      };
      const { code, at } = await until("the server has exited", kill);
      expect(code).toBe(exitCode);
      expect(at - signalledAt).toBeGreaterThan(1_000);
      const [skipped, ...more] = linesOf(server, "exiting at once: another signal");
      expect(skipped).toMatchObject({ reason: signal });
      expect(more).toEqual([]);
    },
  );
});

test("an uncaught error ends the delay", async () => {
  const fault = 'process.once("SIGUSR2", () => { throw new Error("test") })';
  const preload = `data:text/javascript,${encodeURIComponent(fault)}`;
  const server = await servers.start({ DRAIN_DELAY_MS: "60000" }, "--import", preload);
  server.kill("SIGTERM");
  await server.printed("not ready any more");
  server.kill("SIGUSR2");
  expect(await server.exited(promptMs)).toMatchObject({ code: 1, signal: null });
  expect(server.stdout).toContain("uncaught error: draining, then exiting");
});

test("between SIGTERM and the drain, the server is not ready but serves old and new connections", async () => {
  const server = await servers.start({ DRAIN_DELAY_MS: "2500" });
  const secret = /inv_[0-9a-z]+/.exec(server.stdout)?.[0] ?? "";
  const agent = keepAlive(1);
  onTestFinished(() => agent.destroy());
  const first = await send(`${server.url}/livez`, { agent });
  expect(first.headers.connection).toBe("keep-alive");
  const session = connectHttp2(server.url);
  onTestFinished(() => session.destroy());
  let goneAwayAt = 0;
  session.once("goaway", () => {
    goneAwayAt = performance.now();
  });
  await once(session, "remoteSettings");

  const signalledAt = performance.now();
  const stopped = stop(server);
  await server.printed("not ready any more");
  const ready = await send(`${server.url}/readyz`);
  expect([ready.status, ready.body]).toEqual([503, '{"status":"draining"}']);
  expect((await send(`${server.url}/livez`)).status).toBe(200);
  expect((await healthOf(server).check({})).status).toBe(NOT_SERVING);
  // The client of an idle HTTP/1 connection learns with the next response that it must connect again.
  const next = await send(`${server.url}/v1/inventory`, { agent, key: secret });
  expect([next.status, next.headers.connection]).toEqual([200, "close"]);
  expect((await send(`${server.url}/v1/inventory`, { key: secret })).status).toBe(200);
  const watch = startWatch(grpc, { url: server.url, secret });
  await watch.reached(5n);
  const servedAt = performance.now();

  expect(await stopped).toBeGreaterThan(2_500);
  expect(servedAt - signalledAt).toBeLessThan(2_500);
  expect(goneAwayAt - signalledAt).toBeGreaterThan(2_450);
  expect((await watch.failure()).rawMessage).toContain("shutting down");
});

test("with two workers, both are not ready and wait, even if only one was polled", async () => {
  const server = await servers.start({ REDIS_URL: redis.url, WORKERS: "2" });
  await server.printed('"msg":"listening"', 2, 15_000);
  const agent = keepAlive(1);
  onTestFinished(() => agent.destroy());
  expect((await send(`${server.url}/readyz`, { agent })).status).toBe(200);
  // The parent passes connections on to the workers in turn, by the channel that it uses for messages, too.
  for (let k = 0; k < 4; k += 1) await send(`${server.url}/livez`);
  const stopped = stop(server);
  await server.printed('"delayMs":5000', 2);
  const statuses = await Promise.all(
    Array.from({ length: 10 }, async () => (await send(`${server.url}/readyz`)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([503]));
  const ms = await stopped;
  expect(ms).toBeGreaterThan(defaultMs);
  expect(server.stdout.split('"msg":"stopped"')).toHaveLength(3);
});
