import { request } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { newApiKey } from "../../../src/access/api-key.ts";
import { createApp } from "../../../src/app/app.ts";
import { readConfig } from "../../../src/config/config.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import { captureLog } from "../../support/captured-log.ts";
import { useFakeTime } from "../../support/fake-time.ts";
import { responseTo } from "../../support/whole-response.ts";

describe("lines", () => {
  useFakeTime({ toFake: ["performance"] });

  test("with the same message are limited to five a second; the next one has the number of omitted ones", () => {
    const { log, lines } = captureLog();
    for (let count = 0; count < 1_000; count++) log.error({ count }, "a fault");
    expect(lines.map(({ suppressed }) => suppressed)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
    vi.advanceTimersByTime(1_000);
    log.error({ count: -1 }, "a fault");
    log.error("a fault");
    expect(lines.slice(5)).toMatchObject([
      { msg: "a fault", count: -1, suppressed: 995 },
      { msg: "a fault" },
    ]);
    expect(lines).toHaveLength(7);
    expect(lines[6]).not.toHaveProperty("suppressed");
  });

  test("with another message have a separate limit", () => {
    const { log, lines } = captureLog();
    for (let count = 0; count < 10; count++) {
      log.warn("one");
      log.error("another");
    }
    expect(lines.filter(({ msg }) => msg === "one")).toHaveLength(5);
    expect(lines.filter(({ msg }) => msg === "another")).toHaveLength(5);
  });

  test("with very many different messages share one limit", () => {
    const { log, lines } = captureLog();
    for (let count = 0; count < 1_000; count++) log.warn(`message ${count}`);
    expect(lines).toHaveLength(105);
  });

  test("of lower levels have the same limit", () => {
    const { log, lines } = captureLog();
    for (let count = 0; count < 100; count++) log.info("started");
    expect(lines).toHaveLength(5);
  });

  test("that were dropped are counted", () => {
    const { log } = captureLog();
    for (let count = 0; count < 100; count++) log.info("one");
    for (let count = 0; count < 10; count++) log.warn("another");
    expect(log.budget.dropped).toBe(100);
  });

  test("are not counted as dropped below the level, which can be changed at any time", () => {
    const { log, lines } = captureLog("error");
    log.info("too early");
    log.level = "info";
    log.info("in time");
    log.level = "silent";
    log.fatal("too late");
    expect(lines.map(({ msg }) => msg)).toEqual(["in time"]);
    expect(log.budget.dropped).toBe(0);
  });

  test("have only the type, message, stack and code of an error, shortened", () => {
    const { log, lines } = captureLog();
    const error = Object.assign(new TypeError("x".repeat(100_000)), { code: "E", input: "secret" });
    log.error({ err: error }, "a fault");
    const err = Object(lines[0]?.err);
    expect(Object.keys(err).sort()).toEqual(["code", "message", "stack", "type"]);
    expect(err).toMatchObject({ type: "TypeError", code: "E" });
    expect(JSON.stringify(lines).length).toBeLessThan(10_000);
  });
});

test("a bug in a thousand requests is logged only a few times a second; each gets 500", async () => {
  const { log, lines } = captureLog();
  const config = readConfig({ PORT: "0", SLOW_REQUEST_MS: "0" });
  const stores = createMemoryStores(Date.now, { history: config.history });
  const broken = {
    ...stores.admission,
    admitKey: () => {
      throw new TypeError("a bug");
    },
  };
  const app = createApp(config, { ...stores, admission: broken }, log);
  onTestFinished(() => app.drain(0));
  const { port } = await app.listen(0, "127.0.0.1");
  const authorization = `Bearer ${newApiKey("aaaaaaaaaaaa")}`;
  const options = { port, host: "127.0.0.1", path: "/v1/inventory", headers: { authorization } };
  const ask = async () => (await responseTo(request(options).end())).status;
  const start = performance.now();
  for (let round = 0; round < 50; round++) {
    expect(new Set(await Promise.all(Array.from({ length: 20 }, ask)))).toEqual(new Set([500]));
  }
  const seconds = Math.ceil((performance.now() - start) / 1_000) + 1;
  const bugs = lines.filter(({ msg }) => msg === "a request failed because of a bug");
  const failures = lines.filter(({ msg }) => msg === "request failed");
  expect(lines).toHaveLength(bugs.length + failures.length);
  for (const kind of [bugs, failures]) {
    expect(kind.length).toBeGreaterThan(0);
    expect(kind.length).toBeLessThanOrEqual(5 * seconds);
  }
  expect(bugs[0]).toMatchObject({ err: { type: "TypeError" } });
  expect(failures[0]).toMatchObject({ code: 500, reason: "INTERNAL", route: "/v1/inventory" });
});

test("the log entry of a request has the X-Request-Id of its response, even if the body was not read", async () => {
  const { log, lines } = captureLog("silent");
  const config = readConfig({ PORT: "0", ACCESS_LOG: "all" });
  const app = createApp(config, createMemoryStores(Date.now), log);
  const { port } = await app.listen(0, "127.0.0.1");
  const ask = async (headers: Record<string, string>) => {
    const sent = request({ port, host: "127.0.0.1", path: "/livez", agent: false, headers }).end();
    return (await responseTo(sent)).headers["x-request-id"];
  };
  const given = await ask({ "x-request-id": "till-3:0042" });
  const made = await ask({});
  const refused = await ask({ expect: "a miracle" });
  await app.drain(1_000);
  expect(given).toBe("till-3:0042");
  expect(lines.map(({ requestId }) => requestId)).toEqual([given, made, refused]);
});
