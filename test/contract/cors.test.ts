import { describe, expect, test } from "vitest";
import { connectHttp1 } from "../../packages/connect-gateway/test/server/support/http1-client.ts";
import {
  connectHttp2,
  responseOf,
} from "../../packages/connect-gateway/test/server/support/http2-client.ts";
import { storeKinds } from "../support/stores.ts";
import {
  allowed,
  expectError,
  freeAfter,
  limitFields,
  limitFieldsOf,
  type Reply,
  useContract,
} from "./support.ts";

const shop = "https://shop.example";
const list = "GET /v1/inventory";

const preflight = (origin: string, method = "PATCH") => ({
  authorization: null,
  headers: { origin, "access-control-request-method": method },
});

/** The names in a header, in lower case. */
function listed({ headers }: Reply, name: string): string[] {
  return String(headers[name] ?? "")
    .toLowerCase()
    .split(/ *, */);
}

describe.each(storeKinds)("CORS in $name for configured origins", (kind) => {
  const contract = useContract(kind, { CORS_ORIGINS: `${shop}, http://localhost:5173` });
  const { send } = contract;

  test.each([
    ["/v1/inventory/1", shop, "PATCH"],
    ["/v1/inventory", "http://localhost:5173", "GET"],
    ["/inventory.v1.InventoryService/ListInventory", shop, "POST"],
  ])("204 to a preflight without a key: %s from %s", async (path, origin, method) => {
    const reply = await send(`OPTIONS ${path}`, preflight(origin, method));
    expect(reply).toMatchObject({ status: 204, body: "" });
    expect(reply.headers["access-control-allow-origin"]).toBe(origin);
    expect(listed(reply, "access-control-allow-methods")).toContain(method.toLowerCase());
    expect(listed(reply, "access-control-allow-headers")).toEqual(
      expect.arrayContaining([
        "authorization",
        "content-type",
        "connect-protocol-version",
        "connect-timeout-ms",
        "grpc-timeout",
        "x-grpc-web",
        "x-user-agent",
      ]),
    );
    expect(listed(reply, "vary")).toContain("origin");
    expect(reply.headers).not.toHaveProperty("access-control-allow-credentials");
  });

  test("a preflight counts against no limit", async () => {
    expect(limitFieldsOf(await send("OPTIONS /v1/inventory", preflight(shop)))).toEqual({});
    const anonymous = await send(list, { authorization: null });
    expect(anonymous.headers["x-ratelimit-remaining"]).toBe("599");
    expect(limitFieldsOf(await send(list))).toEqual(limitFields(freeAfter(1)));
  });

  test.each([
    "https://evil.example",
    "https://shop.example.evil.example",
    "http://shop.example",
    "https://shop.example:8443",
    "https://sub.shop.example",
    "null",
    "",
  ])("401 without CORS headers for a preflight from %j", async (origin) => {
    const reply = await send("OPTIONS /v1/inventory/1", preflight(origin));
    expectError(reply, 401, "unauthenticated");
    expect(reply.headers).not.toHaveProperty("access-control-allow-origin");
    expect(reply.headers).not.toHaveProperty("access-control-allow-methods");
    expect(listed(reply, "vary")).toContain("origin");
  });

  test("OPTIONS that is not a preflight: 204 with Allow with a key, 401 without", async () => {
    const headers = { origin: shop };
    const reply = await send("OPTIONS /v1/inventory", { headers });
    expect(reply.status).toBe(204);
    expect(allowed(reply)).toEqual(["GET", "HEAD", "OPTIONS"]);
    const anonymous = await send("OPTIONS /v1/inventory", { headers, authorization: null });
    expectError(anonymous, 401, "unauthenticated");
    expect(anonymous.headers["access-control-allow-origin"]).toBe(shop);
  });

  test.each([
    [200, list],
    [404, "GET /v1/nothing"],
    [405, "DELETE /v1/inventory"],
    [400, "GET /v1/inventory?x=1"],
    [200, "GET /readyz"],
  ])(
    "%i to %s can be read by a page of the origin, its limit headers too",
    async (status, line) => {
      const reply = await send(line, { headers: { origin: shop } });
      expect(reply.status).toBe(status);
      expect(reply.headers["access-control-allow-origin"]).toBe(shop);
      expect(listed(reply, "access-control-expose-headers")).toEqual(
        expect.arrayContaining([
          "x-ratelimit-limit",
          "x-ratelimit-remaining",
          "x-ratelimit-reset",
          "ratelimit-policy",
          "ratelimit",
          "retry-after",
          "deprecation",
          "sunset",
          "link",
          "grpc-status",
          "grpc-message",
          "grpc-status-details-bin",
        ]),
      );
    },
  );

  test("401 and 429 have CORS headers", async () => {
    const headers = { origin: shop };
    const anonymous = await send(list, { headers, authorization: null });
    expectError(anonymous, 401, "unauthenticated");
    expect(anonymous.headers["access-control-allow-origin"]).toBe(shop);
    await contract.spend(60);
    const limited = await send(list, { headers });
    expectError(limited, 429, "resource_exhausted");
    expect(limited.headers["access-control-allow-origin"]).toBe(shop);
  });

  test.each([
    ["401, before the body is read", 401, { authorization: "Bearer x" }],
    ["400 for an invalid Host", 400, { host: "%zz" }],
    ["417", 417, { expect: "something" }],
    ["431", 431, { "x-long": "x".repeat(20_000) }],
    ["431 next to a long header that follows", 431, { "x-long": "x".repeat(40_000) }],
    ["400 for a malformed header", 400, { "x-bad": "a\u0000b" }],
  ])("errors before admission have CORS headers over HTTP/1.1: %s", async (_, status, fields) => {
    const lines = Object.entries({ host: "test", origin: shop, ...fields });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const client = await connectHttp1(
      contract.server.port,
      `GET /v1/inventory HTTP/1.1\r\n${head}\r\n`,
    );
    const reply = await client.response();
    expect(reply.status).toBe(status);
    expect(reply.headers.get("access-control-allow-origin")).toBe(shop);
    expect(reply.headers.get("access-control-expose-headers")).toContain("x-error-reason");
    expect(reply.headers.get("vary")).toBe("Origin");
  });

  test("a malformed request has the CORS headers of its own origin, not of the request before it", async () => {
    const client = await connectHttp1(
      contract.server.port,
      `GET /livez HTTP/1.1\r\nHost: test\r\nOrigin: https://evil.example\r\n\r\nGET / HTTP/1.1\r\nHost: test\r\nOrigin: ${shop}\r\nNo header\r\n\r\n`,
    );
    const replies = [await client.response(), await client.response()];
    expect(
      replies.map(({ status, headers }) => [status, headers.get("access-control-allow-origin")]),
    ).toEqual([
      [200, undefined],
      [400, shop],
    ]);
  });

  test("431 has no CORS headers for a page of another origin", async () => {
    const client = await connectHttp1(
      contract.server.port,
      `GET / HTTP/1.1\r\nHost: test\r\nOrigin: https://evil.example\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`,
    );
    const reply = await client.response();
    expect(reply.status).toBe(431);
    expect(reply.headers.get("access-control-allow-origin")).toBeUndefined();
    expect(reply.headers.get("vary")).toBe("Origin");
  });

  test.each([
    ["400 for an invalid Host", 400, { ":authority": "%zz" }],
    ["417", 417, { expect: "something" }],
    ["431", 431, { "x-long": "x".repeat(20_000) }],
  ])("errors before admission have CORS headers over HTTP/2: %s", async (_, status, fields) => {
    const session = connectHttp2(contract.server.url);
    const stream = session.request({ ":path": "/v1/inventory", origin: shop, ...fields });
    const { headers } = await responseOf(stream);
    expect(headers[":status"]).toBe(status);
    expect(headers["access-control-allow-origin"]).toBe(shop);
    expect(headers["access-control-expose-headers"]).toContain("x-error-reason");
  });

  test.each([{}, { origin: "https://evil.example" }])(
    "200 without CORS headers (%#)",
    async (headers) => {
      const reply = await send(list, { headers });
      expect(reply.status).toBe(200);
      expect(reply.headers).not.toHaveProperty("access-control-allow-origin");
      expect(listed(reply, "vary")).toContain("origin");
    },
  );
});

describe.each(storeKinds)("CORS in $name for all origins", (kind) => {
  const { send } = useContract(kind, { CORS_ORIGINS: "*" });

  test("204 to a preflight from any origin", async () => {
    const reply = await send("OPTIONS /v1/inventory", preflight("https://any.example"));
    expect(reply.status).toBe(204);
    expect(reply.headers["access-control-allow-origin"]).toBe("*");
  });

  test("200 with CORS headers for any origin", async () => {
    const reply = await send(list, { headers: { origin: "https://any.example" } });
    expect(reply.headers["access-control-allow-origin"]).toBe("*");
  });
});

describe.each(storeKinds)("CORS in $name by default", (kind) => {
  const { send } = useContract(kind);

  test("401 without CORS headers for a preflight", async () => {
    const reply = await send("OPTIONS /v1/inventory", preflight(shop));
    expectError(reply, 401, "unauthenticated");
    expect(reply.headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("200 without CORS headers", async () => {
    const reply = await send(list, { headers: { origin: shop } });
    expect(reply.status).toBe(200);
    expect(reply.headers).not.toHaveProperty("access-control-allow-origin");
  });
});
