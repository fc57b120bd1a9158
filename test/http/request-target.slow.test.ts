import { connect, type IncomingHttpHeaders } from "node:http2";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import {
  connectHttp1,
  expectErrorForm,
  type Http1Response,
} from "../../packages/connect-gateway/test/server/support/http1-client.ts";
import { newAuthorization } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

const list = "/inventory.v1.InventoryService/ListInventory";
const watch = "/inventory.v1.InventoryService/WatchInventory";
const health = "/grpc.health.v1.Health/Check";

/** A request to each part of the server: method, path, media type and body. */
const everywhere: readonly [method: string, path: string, type?: string, body?: string][] = [
  ["GET", "/livez"],
  ["GET", "/readyz"],
  ["HEAD", "/livez"],
  ["GET", "/docs"],
  ["GET", "/docs?a"],
  ["GET", "/openapi.json"],
  ["GET", "/v1/inventory"],
  ["GET", "/v1/inventory?limit=1"],
  ["OPTIONS", "/v1/inventory/1"],
  ["GET", "/v1/nothing"],
  ["GET", "/"],
  ["POST", list, "application/json", "{}"],
  ["GET", `${list}?encoding=json&message=%7B%7D`],
  ["POST", health, "application/json", "{}"],
  ["POST", "/inventory.v1.InventoryService/Nothing", "application/proto", ""],
];

/** What no host of a URI has, and user information, which no host may have here. */
const neverHosts = [
  ...["", "a b", "a/b", "a?b", "a#b", "user@host", "user:password@host", "%", "%zz", "\x80"],
  ...["a\\b", "a|b", "<host>", "a".repeat(301)],
];

/** Invalid values of a Host header that the HTTP parsers accept. */
const badHosts = [
  ...neverHosts,
  ...["[", "]", "[::1", "[::g]", "[]", "[::1]a", "[::1]:port", "[v1]", "[1.2.3.4]", "::1", ":80"],
  ...["a,b/", "host:port", "host:1:2"],
];

/** Invalid values of `:authority`. */
const badAuthorities = [...neverHosts, "unix:/run/inventory.sock"];

const goodHosts = [
  ...["test", "test:", "test:80", "EXAMPLE.com.", "my_host", "127.0.0.1:8080", "[::1]"],
  ...["[::1]:8080", "[::ffff:1.2.3.4]:80", "[v1.a:b]", "a%2Db.example", "%C3%A4.example"],
  // These look like IPv4 addresses to WHATWG's URLs, which refuse them.
  ...["inventory-1.0", "inventory.7", "inventory.7:8080", "256.256.256.256", "1.2.3.4.5", "0x"],
  ...["inventory_backend", "xn--a", "a!$&'()*+,;=b", "host:99999", "host:123456", "a".repeat(300)],
];

/** Values of `:authority` that gRPC's name resolvers send in addition. */
const resolved = [
  "127.0.0.1:1,127.0.0.1:2",
  "[::1]:1,[::1]:2",
  "%2Frun%2Finventory.sock",
  "unix:%2Frun%2Finventory.sock",
  "%23initially=[127.0.0.1:2379;127.0.0.1:22379]",
  "inventory:grpc:0",
];

describe("the target of a request", () => {
  const server = useServer(memoryKind);
  let authorization = "";
  beforeEach(async () => {
    authorization = await newAuthorization(server.stores);
  });

  async function send(
    method: string,
    target: string,
    { type = "", body = "", host = "test", version = "1.1" } = {},
  ): Promise<Http1Response> {
    const fields = [
      ...(version === "1.0" ? [] : [`Host: ${host}`]),
      `Authorization: ${authorization}`,
      ...(method === "POST" ? [`Content-Type: ${type}`, `Content-Length: ${body.length}`] : []),
    ];
    const bytes = `${method} ${target} HTTP/${version}\r\n${fields.join("\r\n")}\r\n\r\n${body}`;
    return (await connectHttp1(server.port, bytes)).response(method);
  }

  async function responseOf(method: string, target: string, more?: Parameters<typeof send>[2]) {
    const { status, headers, body } = await send(method, target, more);
    return { status, type: headers.get("content-type"), allow: headers.get("allow"), body };
  }

  describe.each(everywhere)("%s %s", (method, path, type = "", body = "") => {
    test.each(["http://test", "HTTP://other.example:81", "https://[::1]:1", "hTtPs://test"])(
      "has the same response in absolute form with %s (RFC 9112, section 3.2.2)",
      async (base) => {
        const expected = await responseOf(method, path, { type, body });
        expect(await responseOf(method, base + path, { type, body })).toEqual(expected);
        expect(server.faults).toEqual([]);
      },
    );
  });

  test("is / for a URL without a path", async () => {
    const expected = await responseOf("GET", "/");
    expect(await responseOf("GET", "http://test")).toEqual(expected);
    expect(await responseOf("GET", "http://test?a=b")).toEqual(expected);
  });

  test("204 for OPTIONS with * or a URL without a path, which target the server as a whole", async () => {
    const expected = await responseOf("OPTIONS", "*");
    expect(expected).toMatchObject({ status: 204, allow: expect.stringContaining("PATCH") });
    expect(await responseOf("OPTIONS", "http://test")).toEqual(expected);
  });

  test("the link to the next page does not contain the host", async () => {
    for (const quantity of [1, 2]) {
      await server.stores.catalog.put([{ petId: 1n, quantity, status: PetStatus.AVAILABLE }]);
    }
    const path = "/v1/inventory/1/changes?pageSize=1";
    const { headers } = await send("GET", `http://other.example${path}`);
    expect(headers.get("link")).toMatch(/^<\/v1\/inventory\/1\/changes\?pageSize=1&pageToken=/);
  });

  test.each([
    "*",
    "ftp://test/livez",
    "http://",
    "http:///livez",
    "http://user@test/livez",
    "http://user:password@test/livez",
    "http://[/livez",
    "http://test:port/livez",
    "http://a|b/livez",
    "http://test#/livez",
    "test:80",
    "livez",
  ])("400 for GET %s", async (target) => {
    expectErrorForm(await send("GET", target), 400, "invalid_argument");
    expect(server.faults).toEqual([]);
  });

  test.each(["//", "///livez", "//livez", "/livez/", "/./livez", "/%00", "/:::", "//?"])(
    "404 for GET %j, which is not the path of a resource",
    async (target) => {
      expectErrorForm(await send("GET", target), 404, "not_found");
      expect(server.faults).toEqual([]);
    },
  );

  test.each(badHosts)("400 on every path when the Host is %j", async (host) => {
    for (const [method, path, type = "", body = ""] of everywhere) {
      const response = await send(method, path, { type, body, host });
      expect([method, path, response.status]).toEqual([method, path, 400]);
      if (method !== "HEAD") {
        expect(JSON.parse(response.body)).toMatchObject({ code: "invalid_argument" });
      }
    }
    expect(server.faults).toEqual([]);
  });

  test.each(goodHosts)("the same response on every path when the Host is %j", async (host) => {
    for (const [method, path, type = "", body = ""] of everywhere) {
      const { status } = await send(method, path, { type, body });
      const response = await send(method, path, { type, body, host });
      expect([method, path, response.status]).toEqual([method, path, status]);
      const absolute = await send(method, `http://${host}${path}`, { type, body, host });
      expect([method, path, absolute.status]).toEqual([method, path, status]);
    }
    expect(server.faults).toEqual([]);
  });

  const envelope = Buffer.from(encodeEnvelope(0, new Uint8Array())).toString("latin1");

  test.each([
    ["application/connect+proto", "invalid_argument"],
    ["application/grpc-web+proto", "grpc-status: 3"],
    ["application/grpc", "grpc-status: 3"],
  ])("an error in the client's protocol for a stream in %s with the Host [", async (type, says) => {
    const client = await connectHttp1(
      server.port,
      `POST ${watch} HTTP/1.1\r\nHost: [\r\nConnection: close\r\nAuthorization: ${authorization}\r\n` +
        `Content-Type: ${type}\r\nContent-Length: ${envelope.length}\r\n\r\n${envelope}`,
    );
    const received = await client.closed();
    expect(received).toContain("HTTP/1.1 200 OK");
    expect(received).toContain(says);
    expect(server.faults).toEqual([]);
  });

  test("200 for a stream over HTTP/1.0 without Host", async () => {
    const client = await connectHttp1(
      server.port,
      `POST ${watch} HTTP/1.0\r\nAuthorization: ${authorization}\r\n` +
        `Content-Type: application/connect+json\r\nContent-Length: 7\r\n\r\n\0\0\0\0\x02{}`,
    );
    client.socket.once("data", () => client.socket.end());
    expect(await client.closed()).toContain("HTTP/1.1 200 OK");
    expect(server.faults).toEqual([]);
  });

  describe("over HTTP/2", () => {
    /** Returns the status of the trailers, or else that of the headers, as soon as a message or the end has arrived. */
    function statusOf(headers: Record<string, string>, body = ""): Promise<string> {
      return new Promise((resolve) => {
        let status = "reset";
        const session = connect(server.url);
        session.on("error", () => resolve("closed"));
        const stream = session.request({ authorization, ":authority": "test", ...headers });
        const read = (fields: IncomingHttpHeaders) => {
          status = String(fields["grpc-status"] ?? fields[":status"] ?? status);
        };
        stream.on("response", read);
        stream.on("trailers", read);
        stream.on("error", () => resolve("reset"));
        stream.on("close", () => {
          resolve(status);
          session.destroy();
        });
        // A watch does not end.
        if (headers[":path"] === watch) stream.on("data", () => stream.close());
        stream.resume();
        if (!stream.writableEnded) stream.end(body, "latin1");
      });
    }

    test.each(everywhere)(
      "%s %s: 400 or a reset for every bad :authority",
      async (method, path) => {
        const type = method === "POST" ? { "content-type": "application/json" } : undefined;
        const line = { ":method": method, ":path": path, ...type };
        for (const host of badAuthorities) {
          const status = await statusOf({ ...line, ":authority": host });
          expect([host, ["400", "reset"].includes(status)]).toEqual([host, true]);
        }
        expect(server.faults).toEqual([]);
      },
    );

    test.each([...goodHosts, ...resolved])("200 when :authority is %j", async (host) => {
      for (const path of ["/livez", "/readyz", "/v1/inventory", "/docs"]) {
        expect(await statusOf({ ":path": path, ":authority": host })).toBe("200");
      }
      const line = { ":method": "POST", "content-type": "application/grpc", ":authority": host };
      for (const path of [health, list, watch]) {
        expect(await statusOf({ ...line, ":path": path }, envelope)).toBe(
          path === watch ? "200" : "0",
        );
      }
      expect(server.faults).toEqual([]);
    });

    test("grpc-status 3 for a stream with an invalid :authority", async () => {
      const line = { ":method": "POST", ":path": watch, "content-type": "application/grpc" };
      expect(await statusOf({ ...line, ":authority": "%zz" })).toBe("3");
      expect(server.faults).toEqual([]);
    });

    test("400 for an invalid Host next to a valid :authority", async () => {
      expect(await statusOf({ ":path": "/livez", host: "%zz" })).toBe("400");
    });

    test.each([
      ["http", "*"],
      ["http", "//"],
      ["http", "livez"],
      ["http", "http://["],
      ["ftp", "livez"],
      ["ftp", ""],
      ["ftp", "*"],
      ["ftp", "http://[/livez"],
      ["ftp", "ftp://test/livez"],
    ])("400, 404 or a reset for the scheme %s and the path %j", async (scheme, path) => {
      const status = await statusOf({ ":scheme": scheme, ":path": path });
      expect(["400", "404", "reset"]).toContain(status);
      expect(server.faults).toEqual([]);
    });

    test("204 for OPTIONS *", async () => {
      expect(await statusOf({ ":method": "OPTIONS", ":path": "*" })).toBe("204");
    });

    test("200 for a :path in absolute form", async () => {
      expect(await statusOf({ ":scheme": "ftp", ":path": "http://test/livez" })).toBe("200");
    });
  });
});
