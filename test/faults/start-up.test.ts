import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { useRedis } from "../support/stores.ts";
import { send } from "./client.ts";
import { useServers } from "./server-process.ts";

const redis = useRedis();
const servers = useServers();
const directory = mkdtempSync(join(tmpdir(), "inventory-start-"));
const noPem = join(directory, "no.pem");
const occupied = createServer();

beforeAll(async () => {
  writeFileSync(noPem, "This is not a certificate.\n");
  occupied.listen(0, "127.0.0.1");
  await once(occupied, "listening");
});
afterAll(() => {
  occupied.close();
  rmSync(directory, { recursive: true });
});

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
  test("an invalid setting", async () => {
    expect(await refusal({ PORT: "abc" })).toEqual([
      'PORT is "abc": it must be an integer from 0 to 65535',
    ]);
  });

  test("several invalid settings: one line for each", async () => {
    const faults: Readonly<Record<string, readonly [text: string, line: RegExp]>> = {
      PORT: ["65536", /^PORT is "65536": /],
      REDIS_URL: ["http://x", /^REDIS_URL .*redis:\/\//],
      TLS_CERT: [noPem, /^TLS_CERT and TLS_KEY must be set together/],
      TRUSTED_PROXIES: ["foo", /^TRUSTED_PROXIES is "foo": /],
      LOG_LEVEL: ["loud", /^LOG_LEVEL is "loud": /],
      PETS_SUNSET: ["soon", /^PETS_SUNSET is "soon": /],
      CORS_ORIGINS: ["shop.example", /^CORS_ORIGINS is "shop.example": /],
      MAX_BODY_BYTES: ["1e6", /^MAX_BODY_BYTES is "1e6": /],
      DRAIN_TIMEOUT_MS: ["-1", /^DRAIN_TIMEOUT_MS is "-1": /],
      DRAIN_DELAY_MS: ["-1", /^DRAIN_DELAY_MS is "-1": /],
      MAX_CONNECTION_AGE_MS: ["30", /^MAX_CONNECTION_AGE_MS is "30": it must be 0 or /],
    };
    const texts = Object.entries(faults).map(([name, [text]]) => [name, text]);
    const lines = await refusal(Object.fromEntries(texts));
    expect(lines).toHaveLength(texts.length);
    for (const [, line] of Object.values(faults)) {
      expect(lines.filter((each) => line.test(each))).toHaveLength(1);
    }
  });

  test("two settings that contradict each other", async () => {
    expect(await refusal({ REQUEST_TIMEOUT_MS: "5000" })).toEqual([
      expect.stringMatching(/^REQUEST_TIMEOUT_MS .*HEADERS_TIMEOUT_MS/),
    ]);
  });

  test("a TLS file that does not exist, with Redis", async () => {
    const files = { TLS_CERT: "/nowhere/cert.pem", TLS_KEY: noPem };
    expect(await refusal({ ...files, REDIS_URL: redis.url })).toEqual([
      expect.stringMatching(/^TLS_CERT: .*\/nowhere\/cert\.pem/),
    ]);
  });

  test("a TLS file that is not PEM", async () => {
    expect(await refusal({ TLS_CERT: noPem, TLS_KEY: noPem })).toEqual([
      expect.stringMatching(/^TLS_(CERT|KEY)\b.*no\.pem/),
    ]);
  });

  test("an address of another machine", async () => {
    expect(await refusal({ HOST: "203.0.113.7" })).toEqual([
      expect.stringMatching(/^203\.0\.113\.7 is not an address of this machine: .*HOST/),
    ]);
  });

  test.each(["without Redis", "with Redis"])("a port in use, %s", async (how) => {
    const environment: Record<string, string> =
      how === "with Redis" ? { REDIS_URL: redis.url } : {};
    expect(await refusal({ PORT: occupiedPort(), ...environment })).toEqual([
      `port ${occupiedPort()} of 127.0.0.1 is in use: set PORT to another port`,
    ]);
  });
});

describe("the error for an invalid setting", () => {
  test.each(["10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/0x8", "10.0.0.0/1e1"])(
    "reports a malformed network: %s",
    (text) => {
      expect(() => readConfig({ TRUSTED_PROXIES: text })).toThrow(/^TRUSTED_PROXIES is /);
    },
  );

  test("does not repeat a password", () => {
    const read = () => readConfig({ REDIS_URL: "https://default:hunter2@redis.example:6379" });
    expect(read).toThrow(/^REDIS_URL /);
    expect(read).not.toThrow("hunter2");
  });
});

test("without Redis, the server prints a curl command that works", async () => {
  const server = await servers.start({ LOG_LEVEL: "silent" });
  expect(server.stdout).toContain("All data is lost when this process ends.");
  const [, header, url] = /^ {2}curl -H '([^']+)' (\S+)$/m.exec(server.stdout) ?? [];
  const [, name, value] = /^([^:]+): (.+)$/.exec(header ?? "") ?? [];
  expect([name, url]).toEqual(["Authorization", `${server.url}/v1/inventory`]);
  const { status, body } = await send(url ?? "", { headers: { [name ?? ""]: value } });
  expect(status).toBe(200);
  const items: unknown = JSON.parse(body);
  expect(items).toContainEqual({
    petId: expect.any(Number),
    quantity: expect.any(Number),
    status: expect.stringMatching(/^(available|pending|sold)$/),
  });
  const begun = performance.now();
  server.kill("SIGINT");
  const { code, at } = await server.exited();
  expect(code).toBe(0);
  expect(at - begun).toBeLessThan(1_000);
  expect(server.stderr).toBe("");
});

test("the printed URL for HOST=0.0.0.0 has an address that clients can connect to", async () => {
  const { url } = await servers.start({ HOST: "0.0.0.0" });
  expect(new URL(url).hostname).toBe("localhost");
  expect((await send(`${url}/readyz`)).status).toBe(200);
});

test.each(["1", "2"])(
  "SIGHUP during the start ends no process, with WORKERS=%s",
  async (workers) => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const environment = { PORT: "0", REDIS_URL: `redis://127.0.0.1:${port}`, WORKERS: workers };
    const server = servers.run(environment);
    await once(silent, "connection");
    server.kill("SIGHUP");
    expect(await server.exited()).toMatchObject({ code: 1, signal: null });
    expect(server.stderr).toMatch(/^REDIS_URL: cannot connect to Redis [^\n]*\n$/);
    silent.close();
  },
);
