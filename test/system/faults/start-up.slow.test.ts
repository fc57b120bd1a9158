import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { useDirectory } from "../../support/directory.ts";
import { listen } from "../../support/listen.ts";
import { useRedis } from "../../support/stores.ts";
import { freePort } from "../harness/redis-server.ts";
import { useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { send } from "./client.ts";

const redis = useRedis();
const servers = useServers();
const directory = useDirectory();
const noPem = join(directory, "no.pem");
const occupied = createServer();

beforeAll(async () => {
  writeFileSync(noPem, "This is not a certificate.\n");
  await listen(occupied);
});
afterAll(() => void occupied.close());

const occupiedPort = () => String((occupied.address() as AddressInfo).port);

/** Runs a server that cannot start. @returns the lines of its standard error */
async function refusal(environment: Readonly<Record<string, string>>): Promise<string[]> {
  const server = servers.run({ PORT: "0", ...environment });
  const { code } = await server.exited();
  expect(code).toBe(1);
  expect(server.stdout).toBe("");
  expect(server.stderr).toMatch(/\n$/);
  return server.stderr.trimEnd().split("\n");
}

describe.concurrent("exit code 1, and only the reason on standard error, for", () => {
  test("several invalid settings: one line for each", async () => {
    const faults: Readonly<Record<string, readonly [text: string, line: RegExp]>> = {
      PORT: ["65536", /^PORT is "65536": /],
      REDIS_URL: ["http://x", /^REDIS_URL .*redis:\/\//],
      TLS_CERT: [noPem, /^TLS_CERT and TLS_KEY must be set together/],
    };
    const texts = Object.entries(faults).map(([name, [text]]) => [name, text]);
    const lines = await refusal(Object.fromEntries(texts));
    expect(lines).toHaveLength(texts.length);
    for (const [, line] of Object.values(faults)) {
      expect(lines.filter((each) => line.test(each))).toHaveLength(1);
    }
  });

  test("a TLS file that is not PEM", async () => {
    expect(await refusal({ TLS_CERT: noPem, TLS_KEY: noPem })).toEqual([
      expect.stringMatching(/^TLS_(CERT|KEY)\b.*no\.pem/),
    ]);
  });
});

/** Code that runs in each process of a server before the server does. */
const preload = (code: string) => ["--import", `data:text/javascript,${encodeURIComponent(code)}`];

/** Makes every listener fail that is not the admin port, which has this port. */
const refuseListen = (code: string, adminPort: number) =>
  preload(`import net from "node:net";
    const { listen } = net.Server.prototype;
    net.Server.prototype.listen = function (options, ...rest) {
      if (options.port === ${adminPort}) return listen.call(this, options, ...rest);
      process.nextTick(() => this.emit("error", Object.assign(new Error("${code}"), { code: "${code}" })));
      return this;
    };`);

/** Does something in the second worker. */
const inSecondWorker = (code: string) =>
  preload(`import cluster from "node:cluster"; if (cluster.worker?.id === 2) { ${code} }`);

/** The ways to run the service. */
const groups = ["in memory", "with Redis", "with 2 workers"] as const;
function environmentOf(group: (typeof groups)[number]): Record<string, string> {
  if (group === "in memory") return {};
  return { REDIS_URL: redis.url, ...(group === "with 2 workers" && { WORKERS: "2" }) };
}

/**
 * Runs a server that has an admin port and cannot start. Expects that it prints a line, exits within a second with code 1
 * and closes the admin port.
 */
async function expectFailedStart(
  line: string | RegExp,
  environment: Readonly<Record<string, string>>,
  optionsOf: (adminPort: number) => readonly string[] = () => [],
): Promise<void> {
  const adminPort = await freePort();
  const settings = { PORT: "0", ADMIN_ADDR: `127.0.0.1:${adminPort}`, ...environment };
  const server = servers.run(settings, ...optionsOf(adminPort));
  await until("the server prints why", () => server.stderr.includes("\n"), 20_000);
  const printedAt = performance.now();
  const { code, at } = await server.exited();
  expect(at - printedAt).toBeLessThan(1_000);
  expect(code).toBe(1);
  expect(server.stderr).toMatch(typeof line === "string" ? `${line}\n` : line);
  expect(server.stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(server.stdout).not.toContain("redis is not available");
  await expect(fetch(`http://127.0.0.1:${adminPort}/healthz`)).rejects.toThrow();
}

describe.each(groups)(
  "a start that fails %s closes the admin port and exits within a second",
  (group) => {
    const environment = () => environmentOf(group);
    const inUse = (port: string, host: string) =>
      `port ${port} of ${host} is in use: set PORT to another port`;

    test("for a port in use", async () => {
      const port = occupiedPort();
      await expectFailedStart(inUse(port, "127.0.0.1"), { ...environment(), PORT: port });
    });

    test("for a port that another process uses over IPv6", async () => {
      const other = createServer().listen(0, "::");
      await once(other, "listening");
      const port = String((other.address() as AddressInfo).port);
      await expectFailedStart(inUse(port, "::1"), { ...environment(), HOST: "::1", PORT: port });
      other.close();
    });

    test("for an admin port in use", async () => {
      const address = { ADMIN_ADDR: `127.0.0.1:${occupiedPort()}` };
      const line = /^ADMIN_ADDR is .*another process uses it.*\n$/;
      await expectFailedStart(line, { ...environment(), ...address });
    });

    test.each([
      ["80", "EACCES", "permission denied for port 80: set PORT to a port above 1023"],
      ["0", "EPERM", "cannot listen on 127.0.0.1:0: EPERM"],
    ])("for port %s and the error %s", async (port, code, line) => {
      const options = (adminPort: number) => refuseListen(code, adminPort);
      await expectFailedStart(line, { ...environment(), PORT: port }, options);
    });
  },
);

describe("of two workers, one that cannot start ends the other, and the service exits within a second", () => {
  const twoWorkers = () => environmentOf("with 2 workers");

  test.each([
    ["it exits", "process.exit(7)", "worker 2 ended during the start: exit code 7"],
    [
      "it is killed",
      'process.kill(process.pid, "SIGKILL")',
      "worker 2 ended during the start: SIGKILL",
    ],
  ])("if %s", async (_, code, line) => {
    await expectFailedStart(line, twoWorkers(), () => inSecondWorker(code));
  });

  test("if it cannot listen", async () => {
    const code = 'process.env.PORT = "1"; process.env.HOST = "203.0.113.7";';
    const line = "203.0.113.7 is not an address of this machine: set HOST to another address";
    await expectFailedStart(line, twoWorkers(), () => inSecondWorker(code));
  });
});

/** Runs a server that has connected to a Redis which does not respond, so it stays in its start. */
async function runWithSilentRedis(
  environment: Readonly<Record<string, string>>,
  ...options: readonly string[]
) {
  const silent = createServer();
  onTestFinished(() => void silent.close());
  const redisUrl = (await listen(silent)).replace("http:", "redis:");
  const server = servers.run({ PORT: "0", REDIS_URL: redisUrl, ...environment }, ...options);
  await once(silent, "connection");
  return server;
}

describe.each(["SIGTERM", "SIGINT"] as const)("%s during the start", (signal) => {
  test.each(["1", "2"])(
    "ends it within a second: exit code 0, with WORKERS=%s",
    async (workers) => {
      const server = await runWithSilentRedis({ WORKERS: workers });
      server.kill(signal);
      const signalledAt = performance.now();
      const { code, at } = await server.exited();
      expect(code).toBe(0);
      expect(at - signalledAt).toBeLessThan(1_000);
      expect(server.stdout).toMatch(new RegExp(`"reason":"${signal}","drainMs":0,"msg":"stopped"`));
      expect(server.stderr).toBe("");
    },
  );
});

test("an uncaught error during the start ends it within a second: exit code 1", async () => {
  const fault = 'process.once("SIGUSR2", () => { throw new Error("test") })';
  const server = await runWithSilentRedis({}, ...preload(fault));
  server.kill("SIGUSR2");
  const thrownAt = performance.now();
  const { code, at } = await server.exited();
  expect(code).toBe(1);
  expect(at - thrownAt).toBeLessThan(1_000);
  expect(server.stdout).toContain('"message":"test"');
});

test("the printed URL for HOST=0.0.0.0 has an address that clients can connect to", async () => {
  const { url } = await servers.start({ HOST: "0.0.0.0" });
  expect(new URL(url).hostname).toBe("localhost");
  expect((await send(`${url}/readyz`)).status).toBe(200);
});
