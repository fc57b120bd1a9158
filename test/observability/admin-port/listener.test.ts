import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { diagnoseProcess } from "../../../src/observability/admin-port/diagnostics.ts";
import {
  type AdminHandlerOptions,
  adminHandlers,
} from "../../../src/observability/admin-port/handlers.ts";
import type { ProcessReport } from "../../../src/observability/admin-port/health.ts";
import {
  type AdminHandler,
  createAdminListener,
} from "../../../src/observability/admin-port/listener.ts";
import { isTrustedHost } from "../../../src/observability/admin-port/loopback-host.ts";
import { startAdminPort } from "../../../src/observability/admin-port/start.ts";
import { createLog } from "../../../src/observability/log/log.ts";
import type { Metric } from "../../../src/observability/metrics/metric.ts";
import { until } from "../../system/harness/until.ts";

const metric: Metric = { name: "demo", type: "counter", help: "A demo." };
const snapshot = { demo: [[[], [3]]] } as const;
const redis = { address: "127.0.0.1:6379", latencyMs: 0.123 } as ProcessReport["servers"][number];
const serving: ProcessReport = { snapshot, isStopping: false, servers: [redis] };

async function start(
  changes: Partial<AdminHandlerOptions> = {},
  processes: readonly ProcessReport[] = [serving],
) {
  const faults: unknown[] = [];
  const options: AdminHandlerOptions = {
    metrics: [metric],
    report: async () => ({ snapshot, processes, expected: 1, silent: 0 }),
    config: () => [{ name: "PORT", value: "1" }],
    diagnose: undefined,
    ...changes,
  };
  const report = (fault: unknown) => faults.push(fault);
  const listener = createAdminListener(adminHandlers(options), report);
  onTestFinished(listener.close);
  return { url: await listener.listen(0, "127.0.0.1"), faults };
}

/** Sends a request to a new admin port. */
async function ask(path: string, init?: RequestInit, ...options: Parameters<typeof start>) {
  const { url, faults } = await start(...options);
  return { response: await fetch(url + path, init), faults };
}

/** Sends headers that `fetch` may not set. */
async function statusFor(
  url: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): Promise<number | undefined> {
  const [response] = (await once(request(url, { method, headers }).end(), "response")) as [
    IncomingMessage,
  ];
  response.resume();
  return response.statusCode;
}

describe("GET /metrics", () => {
  test.each([
    ["application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3", true],
    ["application/openmetrics-text; version=0.0.1, */*", true],
    ["application/openmetrics-text;q=0", false],
    ["text/plain;version=0.0.4", false],
    ["*/*", false],
  ])("with Accept: %s uses OpenMetrics: %s", async (accept, isOpenMetrics) => {
    const { response } = await ask("/metrics", { headers: { accept } });
    const text = await response.text();
    expect(response.headers.get("content-type")).toBe(
      isOpenMetrics
        ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
        : "text/plain; version=0.0.4; charset=utf-8",
    );
    expect(text).toContain("\ndemo_total 3\n");
    expect(text.endsWith("# EOF\n")).toBe(isOpenMetrics);
  });
});

test("GET /livez responds while Redis does not", async () => {
  const silent = { ...redis, latencyMs: undefined } as const;
  const { url } = await start({}, [{ ...serving, servers: [silent] }]);
  expect((await fetch(`${url}/healthz`)).status).toBe(503);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
});

describe("GET /healthz", () => {
  test("reports each dependency, and 200 while the service is ready", async () => {
    const { response } = await ask("/healthz");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: "ok",
      processes: { expected: 1, serving: 1, silent: 0 },
      redis: [{ address: "127.0.0.1:6379", status: "ok", latencyMs: 0.12 }],
    });
  });

  test.each([
    ["no process responds", "workers_missing", []],
    ["a process drains", "draining", [serving, { ...serving, isStopping: true }]],
    [
      "one process does not reach a server",
      "redis_unavailable",
      [serving, { ...serving, servers: [{ ...redis, latencyMs: undefined } as const] }],
    ],
    [
      "a server loads its data",
      "redis_unavailable",
      [serving, { ...serving, servers: [{ ...redis, refusal: "LOADING" }] }],
    ],
  ])("reports 503 when %s", async (_, status, processes) => {
    const { response } = await ask("/healthz", {}, {}, processes);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ status });
  });
});

test("GET /config has the settings", async () => {
  const { response } = await ask("/config");
  expect(await response.json()).toEqual([{ name: "PORT", value: "1" }]);
});

describe("the Host header over a loopback address", () => {
  const own = ["127.0.0.1:9464", "[::1]:9464", "localhost:9464", "localhost", "a.localhost"];
  const pointsHere = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:9464"];

  test.each([
    ...[...own, "10.0.0.1"].map((host) => [host, 200] as const),
    ...pointsHere.map((host) => [host, 403] as const),
  ])("%s has the status %d", async (host, status) => {
    const { url } = await start();
    expect(await statusFor(`${url}/config`, { host })).toBe(status);
  });

  test("is not checked over other addresses", () => {
    expect(isTrustedHost("inventory.example", "10.1.2.3")).toBe(true);
    expect(isTrustedHost("inventory.example", "::ffff:127.0.0.1")).toBe(false);
    expect(isTrustedHost("inventory.example", "::1")).toBe(false);
  });
});

describe("requests of web pages", () => {
  const diagnoses = ["/debug/heap-snapshot", "/debug/cpu-profile"];
  const paths = ["/metrics", "/livez", "/healthz", "/config", ...diagnoses];

  test.each([
    { origin: "https://page.example" },
    { origin: "null" },
    { origin: "http://localhost:9464" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "of a later version" },
  ] as readonly Readonly<Record<string, string>>[])(
    "with %j are refused and start nothing",
    async (headers) => {
      const started: unknown[] = [];
      const { url } = await start({
        diagnose: async () => `${started.push("work")}`,
        config: () => started.push("config"),
        report: async () => {
          started.push("report");
          return { snapshot, processes: [serving], expected: 1, silent: 0 };
        },
      });
      for (const path of paths) {
        for (const method of ["GET", "HEAD", "POST"]) {
          expect(await statusFor(url + path, headers, method)).toBe(403);
        }
      }
      expect(started).toEqual([]);
    },
  );

  test.each(["none", "same-origin"])(
    "an address that the user enters is served: %s",
    async (site) => {
      const { url } = await start();
      expect(await statusFor(`${url}/config`, { "sec-fetch-site": site })).toBe(200);
    },
  );

  test.each(["GET", "HEAD", "PUT"])("a diagnosis starts by POST, not by %s", async (method) => {
    const diagnose = () => Promise.reject(new Error("started"));
    const { response, faults } = await ask("/debug/heap-snapshot", { method }, { diagnose });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
    expect(faults).toEqual([]);
  });
});

test("closes the connection after a request with Upgrade, because node loses what follows", async () => {
  const { url } = await start();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.end(
    "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nGET /config HTTP/1.1\r\nHost: localhost\r\n\r\n",
  );
  let received = "";
  for await (const chunk of socket) received += chunk;
  expect(received).toContain("\r\nconnection: close\r\n");
});

describe("diagnostics", () => {
  test("are refused unless they are on", async () => {
    const { url } = await start();
    for (const path of ["/debug/heap-snapshot", "/debug/cpu-profile"]) {
      expect((await fetch(url + path, { method: "POST" })).status).toBe(403);
    }
  });

  const diagnosis = (path: string) =>
    ask(`/debug/${path}`, { method: "POST" }, { diagnose: diagnoseProcess });

  test("make a CPU profile of the given length", async () => {
    const { response } = await diagnosis("cpu-profile?seconds=1");
    const profile = (await response.json()) as { startTime: number; endTime: number };
    expect(profile.endTime - profile.startTime).toBeGreaterThan(900_000);
    expect(response.headers.get("content-disposition")).toMatch(/\.cpuprofile"$/);
  });

  test.each(["0", "61", "x", "-1"])("refuse a profile of %s seconds", async (seconds) => {
    const { response } = await diagnosis(`cpu-profile?seconds=${seconds}`);
    expect(response.status).toBe(400);
  });

  test("run one at a time", async () => {
    const gate = Promise.withResolvers<string>();
    const { url, faults } = await start({ diagnose: () => gate.promise });
    const first = fetch(`${url}/debug/heap-snapshot`, { method: "POST" });
    const second = fetch(`${url}/debug/cpu-profile`, { method: "POST" });
    expect((await Promise.race([first, second])).status).toBe(409);
    gate.reject(new Error("no space"));
    expect((await Promise.all([first, second])).map(({ status }) => status).sort()).toEqual([
      409, 500,
    ]);
    expect(faults).toEqual([new Error("no space")]);
  });

  test("can be made again after one has failed", async () => {
    const { url } = await start({
      async diagnose(task, worker) {
        if (worker !== undefined) throw new RangeError(`no worker ${worker}`);
        return diagnoseProcess(task);
      },
    });
    const statuses: number[] = [];
    for (const query of ["?seconds=1&worker=9", "?seconds=1"]) {
      const response = await fetch(`${url}/debug/cpu-profile${query}`, { method: "POST" });
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    expect(statuses).toEqual([400, 200]);
  });
});

describe("the admin port", () => {
  test("serves HEAD without a body, and no other method", async () => {
    const { url } = await start();
    const head = await fetch(`${url}/metrics`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await fetch(`${url}/metrics`, { method: "POST", body: "x" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("responds 404 to other paths, and names its own", async () => {
    const { response } = await ask("/v1/inventory");
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("/metrics, /livez, /healthz, /config");
  });

  test("responds 500 and reports the error when a handler fails", async () => {
    const report = () => Promise.reject(new Error("broken"));
    const { response, faults } = await ask("/metrics", {}, { report });
    expect(response.status).toBe(500);
    expect(faults).toEqual([new Error("broken")]);
  });

  test("serves a scraper for as long as it keeps its connection", async () => {
    const { url, faults } = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ports = new Set<number | undefined>();
    for (let scrapes = 0; scrapes < 20; scrapes += 1) {
      const sent = request(`${url}/metrics`, { agent }).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      expect(response.statusCode).toBe(200);
      ports.add(response.socket.localPort);
      await once(response.resume(), "end");
    }
    expect([ports.size, faults]).toEqual([1, []]);
  });

  test("closes connections beyond its limit", async () => {
    const { url } = await start();
    const sockets = Array.from({ length: 21 }, () => connect(Number(new URL(url).port)));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    for (const socket of sockets) socket.on("error", () => {}).resume();
    await Promise.race(sockets.map((socket) => once(socket, "close")));
    expect(sockets.filter(({ closed }) => closed)).toHaveLength(1);
  });
});

describe("a client that does not read", () => {
  const get = "GET /text HTTP/1.1\r\nHost: localhost\r\n\r\n";

  /** Starts an admin port with a text, and sends requests for it. @returns the client */
  async function ask(
    requests: string,
    onRequest: (request: IncomingMessage) => string,
  ): Promise<Socket> {
    const handler: AdminHandler = (request) => ({
      status: 200,
      headers: {},
      body: onRequest(request),
    });
    const listener = createAdminListener(new Map([["/text", handler]]), () => {}, 50);
    onTestFinished(listener.close);
    const url = await listener.listen(0, "127.0.0.1");
    const socket = connect(Number(new URL(url).port)).on("error", () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(requests);
    return socket;
  }

  test("is disconnected", async () => {
    const closed = Promise.withResolvers<boolean>();
    await ask(get, ({ socket }) => {
      socket.once("close", closed.resolve);
      return "x".repeat(30_000_000); // more than the kernel holds
    });
    await expect(closed.promise).resolves.toBe(false); // without an error of the socket
  });

  test("cannot make the process hold many responses", async () => {
    let made = 0;
    const client = await ask(get.repeat(100), () => {
      made += 1;
      return "x";
    });
    await once(client.resume(), "close");
    expect(made).toBeLessThan(10);
  });
});

test("an aborted download leaves no file, and none open", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "inventory-")), "diagnosis");
  const { url } = await start({
    async diagnose() {
      writeFileSync(path, Buffer.alloc(5_000_000));
      return path;
    },
  });
  const openFiles = () =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).endsWith("/diagnosis (deleted)");
      } catch {
        return false;
      }
    });
  const controller = new AbortController();
  const response = await fetch(`${url}/debug/heap-snapshot`, {
    method: "POST",
    signal: controller.signal,
  });
  expect(response.status).toBe(200);
  // It can have secrets of the process.
  expect(existsSync(path)).toBe(false);
  controller.abort();
  await until("the file is closed", () => openFiles().length === 0);
});

describe("the start of the admin port", () => {
  const handlers = () => new Map();
  const lines: string[] = [];
  const log = createLog("info", undefined, {
    write: (line) => lines.push(JSON.parse(line).reason),
  });

  async function usedPort(): Promise<number> {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  test("does nothing without an address", async () => {
    await startAdminPort(undefined, handlers, log);
    expect(lines).toEqual([]);
  });

  test("fails when the port is in use and was chosen", async () => {
    const address = { host: "127.0.0.1", port: await usedPort(), isRequired: true };
    await expect(startAdminPort(address, handlers, log)).rejects.toThrow(
      `ADMIN_ADDR is "127.0.0.1:${address.port}": cannot listen there (another process uses it). Choose another address, or an empty one for no admin port.`,
    );
  });

  test("goes on without an admin port when the default one is in use", async () => {
    const address = { host: "127.0.0.1", port: await usedPort(), isRequired: false };
    await startAdminPort(address, handlers, log);
    expect(lines).toEqual([`cannot listen on 127.0.0.1:${address.port}: another process uses it`]);
  });
});
