import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { overHttp1, overHttp2 } from "../../contract/http-clients.ts";
import { ownAccount, stock, useContract } from "../../contract/support.ts";
import { protocolOf, unaryProtocols } from "../../contract/unary-protocols.ts";
import type { LogLine } from "../../support/server.ts";
import { memoryKind, nthVersion, storeKinds } from "../../support/stores.ts";
import { startWatch, watchProtocols } from "../../support/watch.ts";
import { until } from "../../system/harness/until.ts";

/** Returns how a protocol writes a code of which HTTP has the status. */
function codeIn(protocol: string, word: string, status: number): string | number {
  if (protocol === "http") return status;
  return protocol === "connect" ? word : word.toUpperCase();
}

describe.each(storeKinds)("the access log in $name", (kind) => {
  const contract = useContract(kind, { ACCESS_LOG: "all" });
  const { server } = contract;
  const bearer = () => `Bearer ${contract.own.secret}`;

  const only = async (): Promise<LogLine> => {
    const { lines } = server;
    await until("the line", () => lines.length > 0);
    expect(lines).toHaveLength(1);
    return lines[0] as LogLine;
  };

  test("has the client and the request id of a request that the parser has rejected", async () => {
    const socket = connect(server.port).on("error", () => {});
    socket.end("garbage\r\n\r\n");
    const response = await text(socket);
    expect(await only()).toMatchObject({
      code: 400,
      client: "127.0.0.1",
      requestId: /^x-request-id: (.+)\r$/im.exec(response)?.[1],
    });
  });

  describe.each(Object.entries(unaryProtocols))("by %s", (name, call) => {
    const protocol = protocolOf(name);
    const isRpc = protocol !== "http";

    test("has a line for a success, with all that is known", async () => {
      const { fields } = await call(server.url, bearer(), { list: true });
      const line = await only();
      expect(line).toEqual({
        level: 30,
        time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
        msg: "request",
        method: expect.stringMatching(isRpc ? /^(GET|POST)$/ : /^GET$/),
        route: isRpc ? "/inventory.v1.InventoryService/ListInventory" : "/v1/inventory",
        protocol,
        code: codeIn(protocol, "ok", 200),
        complete: true,
        ms: expect.any(Number),
        storeMs: expect.any(Number),
        bytesIn: expect.any(Number),
        bytesOut: expect.any(Number),
        accountId: ownAccount,
        keyId: contract.own.keyId,
        client: "127.0.0.1",
        requestId: fields.get("x-request-id"),
      });
      expect(line.bytesOut).toBeGreaterThan(30);
      expect(line.ms).toBeGreaterThan(0);
      if (kind.name === "redis") expect(line.storeMs).toBeGreaterThan(0);
    });
  });

  test.each(watchProtocols)(
    "has a line for a stream by $name when its client leaves",
    async (watch) => {
      const protocol = protocolOf(watch.name);
      const { secret } = contract.own;
      const open = startWatch(watch, { url: server.url, secret, token: "" });
      await open.reached(nthVersion(stock.length));
      expect(server.lines).toEqual([]);
      open.disconnect();
      expect(await only()).toMatchObject({
        protocol,
        code: { http: 200, connect: "canceled", grpc: "CANCELLED", grpc_web: "CANCELLED" }[
          protocol
        ],
        complete: false,
        client: "127.0.0.1",
      });
    },
  );
});

describe.each([
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
])("the access log over %s", (_, send) => {
  const contract = useContract(memoryKind, { ACCESS_LOG: "all", TRUSTED_PROXIES: "127.0.0.0/8" });
  const { server } = contract;
  const only = () => until("the line", () => server.lines[0]);

  test("has the bytes of the bodies", async () => {
    const body = JSON.stringify({ quantity: 3 });
    const authorization = `Bearer ${contract.own.secret}`;
    const headers = { authorization, "content-type": "application/json" };
    const reply = await send(server.url, "PATCH", "/v1/inventory/1", headers, body);
    expect(await only()).toMatchObject({
      bytesIn: body.length,
      bytesOut: Buffer.byteLength(reply.body),
      method: "PATCH",
      code: 200,
    });
  });

  test("has no bytes out for HEAD", async () => {
    await send(server.url, "HEAD", "/livez", {});
    expect(await only()).toMatchObject({ method: "HEAD", code: 200, bytesOut: 0 });
  });

  test("has the client's address behind trusted proxies, and nothing else that the header has", async () => {
    const forwarded = "malicious, 2001:db8::7, 127.0.0.9";
    await send(server.url, "GET", "/livez", { "x-forwarded-for": forwarded });
    expect(await only()).toMatchObject({ client: "2001:db8::7" });
  });

  test("has no path that the service does not know", async () => {
    await send(server.url, "GET", "/v1/hidden-path?hidden=query", {});
    const line = await only();
    expect(line).toMatchObject({ route: "_OTHER", code: 401 });
    expect(JSON.stringify(line)).not.toContain("hidden");
  });

  test("has at most 128 characters of X-Request-Id, in one line", async () => {
    const tricky = `"},{"level":60,"msg":"forged"\\n`;
    await send(server.url, "GET", "/livez", { "x-request-id": tricky });
    await send(server.url, "GET", "/livez", { "x-request-id": "a".repeat(129) });
    await until("two lines", () => server.lines.length === 2);
    expect(server.lines[0]).toMatchObject({ requestId: tricky, msg: "request", level: 30 });
    expect(server.lines[1]?.requestId).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe("the log has nothing that is secret", () => {
  const contract = useContract(memoryKind, { ACCESS_LOG: "all", LOG_LEVEL: "debug" });
  const { server } = contract;
  const secret = "s3cret-marker";
  const key = () => contract.own.secret;

  test("of any kind of request", async () => {
    const authorization = `Bearer ${key()}`;
    const ofType = (type: string) => ({ authorization, "content-type": type });
    const json = ofType("application/json");
    const rpc = "/inventory.v1.InventoryService/UpdateInventory";
    const pet = "/v1/inventory/1";
    const own = { "idempotency-key": secret, "if-match": secret };
    const forwarded = { traceparent: secret, tracestate: secret, "x-forwarded-for": secret };
    const requests: [method: string, path: string, Record<string, string>, body?: string][] = [
      ["GET", `/v1/inventory?key=${key()}`, {}],
      ["GET", `/v1/inventory?${secret}=1`, { authorization }],
      ["GET", `/${key()}/${secret}`, {}],
      ["GET", `/v1/inventory/${secret}`, { authorization }],
      ["GET", "/v1/inventory", { authorization: `Bearer inv_${secret}` }],
      ["GET", "/v1/inventory", { authorization: `Basic ${secret}`, cookie: secret }],
      ["GET", `http://${secret}.example/v1/inventory`, { "user-agent": secret }],
      ["PATCH", pet, json, `{"quantity":"${secret}"}`],
      ["PATCH", pet, json, `{"${secret}":1`],
      ["PATCH", pet, ofType(secret), secret],
      ["PATCH", pet, { ...json, ...own }, `{"quantity":1}`],
      ["OPTIONS", `/v1/${secret}`, { origin: `https://${secret}.example` }],
      ["POST", rpc, json, `{"petId":"${secret}"}`],
      ["POST", rpc, ofType("application/grpc+proto"), secret],
      ["POST", rpc, ofType("application/grpc-web+json"), secret],
      ["POST", `/${secret}.Service/Method`, ofType("application/grpc")],
      ["POST", rpc, { "content-type": "application/grpc", "grpc-timeout": secret }],
      ["GET", "/livez", forwarded],
    ];
    let sent = 0;
    for (const send of [overHttp1, overHttp2]) {
      for (const [method, path, headers, body] of requests) {
        await send(server.url, method, path, headers, body).catch(() => undefined);
        sent += 1;
      }
    }
    await server.drain(1_000);
    const text = JSON.stringify(server.lines);
    expect(server.lines.filter(({ msg }) => msg === "request").length).toBeGreaterThan(sent / 2);
    expect(text).toContain(contract.own.keyId);
    expect(text).not.toContain(key());
    expect(text).not.toContain(contract.own.keyHash);
    expect(text).not.toContain(secret);
    expect(text).not.toContain("Bearer");
  });
});

describe("events of requests", () => {
  const contract = useContract(memoryKind, { LOG_LEVEL: "info" });
  const { server } = contract;

  test("a key that is banned has a line with its account, level and end", async () => {
    await contract.spend(120);
    await contract.send("GET /v1/inventory");
    expect(server.lines).toEqual([
      {
        level: 40,
        time: expect.any(String),
        msg: "key banned",
        accountId: ownAccount,
        keyId: contract.own.keyId,
        banLevel: 1,
        until: new Date(server.clock.now + 60_000).toISOString(),
      },
    ]);
  });

  test("a ban that is lifted has a line when the key is admitted again", async () => {
    await contract.spend(120);
    await contract.send("GET /v1/inventory");
    await server.stores.accounts.unbanKey(contract.own.keyId);
    server.clock.now += 61_000;
    await contract.send("GET /v1/inventory");
    expect(server.lines.at(-1)).toMatchObject({
      level: 30,
      msg: "ban ended",
      keyId: contract.own.keyId,
      lifted: true,
    });
  });

  test("requests beyond the limit have one line, at the latest when the server stops", async () => {
    await contract.spend(60);
    for (let count = 0; count < 7; count++) await contract.send("GET /v1/inventory");
    await contract.send("GET /v1/inventory", { authorization: null });
    expect(server.lines).toEqual([]);
    await server.drain(1_000);
    expect(server.lines).toEqual([
      {
        level: 30,
        time: expect.any(String),
        msg: "requests were refused with 429",
        requests: 7,
        reasons: { RATE_LIMITED: 7 },
        keys: 1,
        topKeys: [{ keyId: contract.own.keyId, requests: 7 }],
      },
    ]);
  });
});
