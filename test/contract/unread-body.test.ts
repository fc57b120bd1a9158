import { once } from "node:events";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { afterEach, expect, test } from "vitest";
import { type HttpReply, readStream, unending } from "./http-clients.ts";
import { bearer, describeApi } from "./support.ts";
import { codeWord } from "./unary-protocols.ts";

describeApi("errors before the body is read in $name", (contract) => {
  const sessions: ClientHttp2Session[] = [];
  afterEach(() => {
    for (const session of sessions.splice(0)) {
      session.destroy();
    }
  });

  const rpcPath = "/inventory.v1.InventoryService/UpdateInventory";
  const restPath = "/v1/inventory/1";
  const importPath = "/catalog.v1.CatalogService/ImportPets";

  /** Starts an HTTP/2 request that never ends. */
  function begin(headers: OutgoingHttpHeaders) {
    const session = sessions[0] ?? connect(contract.server.url);
    if (sessions.length === 0) sessions.push(session);
    const stream = session.request(headers, { endStream: false });
    stream.write("{");
    return stream;
  }

  /** Returns the status and the code of an error, on any protocol. */
  function statusAndCode({ status, fields, body }: HttpReply): [status: number, code: string] {
    // gRPC-Web has its trailers in the body.
    const [, inBody = null] = /grpc-status: (\d+)\r\n/.exec(body) ?? [];
    const grpcStatus = fields.get("grpc-status") ?? inBody;
    if (grpcStatus !== null) return [status, codeWord(Number(grpcStatus))];
    const error = body.slice(body.indexOf("{"));
    expect(fields.get("content-length")).toBe(String(Buffer.byteLength(body)));
    return [status, JSON.parse(error).code];
  }

  /** The requests. The last value says whether the HTTP status is that of the error, rather than 200. */
  const requests = [
    ["JSON over HTTP", "PATCH", restPath, "application/json", true],
    ["Connect, JSON", "POST", rpcPath, "application/json", true],
    ["Connect, binary", "POST", rpcPath, "application/proto", true],
    ["gRPC", "POST", rpcPath, "application/grpc", false],
    ["gRPC-Web", "POST", rpcPath, "application/grpc-web+proto", false],
    ["an unknown path", "POST", "/v1/nothing", "application/json", true],
    ["an unknown gRPC method", "POST", "/a.B/C", "application/grpc+proto", false],
  ] as const;

  const errors = [
    ["unauthenticated", 401, async () => ({})],
    [
      "resource_exhausted",
      429,
      async () => {
        await contract.spend(60);
        return { authorization: bearer(contract.own) };
      },
    ],
  ] as const;

  const cases = errors.flatMap(([code, status, credentials]) =>
    requests.map(([name, method, path, type, hasStatus]) => ({
      ...{ code, name, method, path, type, credentials },
      status: hasStatus ? status : 200,
    })),
  );

  test.each(cases)("$status $code: $name, over HTTP/2", async (each) => {
    const { code, method, path, type, status, credentials } = each;
    const stream = begin({
      ":method": method,
      ":path": path,
      "content-type": type,
      ...(type.startsWith("application/grpc") && { te: "trailers" }),
      ...(await credentials()),
    });
    const reply = await readStream(stream);
    expect(statusAndCode(reply)).toEqual([status, code]);
    expect(reply.fields.get("x-ratelimit-limit")).toBe(code === "unauthenticated" ? "600" : "60");
  });

  test.each(cases)("$status $code: $name, over HTTP/1.1", async (each) => {
    const { code, method, path, type, status, credentials } = each;
    const headers = { "content-type": type, ...(await credentials()) };
    const reply = await unending(contract.server.port, method, path, headers);
    expect(statusAndCode(reply)).toEqual([status, code]);
    expect(reply.fields.get("x-ratelimit-limit")).toBe(code === "unauthenticated" ? "600" : "60");
  });

  test.each([
    [403, "permission_denied", restPath, "application/json"],
    [404, "not_found", "/v1/nothing", "application/json"],
    [405, "method_not_allowed", "/v1/inventory", "application/json"],
    [415, "unsupported_media_type", restPath, "text/plain"],
  ])("%i %s over HTTP/1.1 and HTTP/2", async (status, code, path, type) => {
    const { own } = contract;
    const key = status === 403 ? await contract.newKey({ scopes: ["store:read"] }) : own;
    const headers = { "content-type": type, authorization: bearer(key) };
    const reply = await unending(contract.server.port, "PATCH", path, headers);
    expect(statusAndCode(reply)).toEqual([status, code]);
    const stream = begin({ ":method": "PATCH", ":path": path, ...headers });
    expect(statusAndCode(await readStream(stream))).toEqual([status, code]);
  });

  test("over HTTP/2, the stream of each closes, although the body never ends", async () => {
    const kinds = [
      ...requests.map(([, ...request]) => ({ request, headers: {} })),
      ...[
        ...["/v1/nothing", "/v1/inventory", "/livez"].map((path) => ["PATCH", path, "text/plain"]),
        ["PATCH", restPath, "text/plain"],
        // An invalid first message, and data after it.
        ...["connect+proto", "grpc"].map((type) => ["POST", importPath, `application/${type}`]),
      ].map((request) => ({ request, headers: { authorization: bearer(contract.own) } })),
    ];
    const streams = kinds.map(({ request: [method, path, type], headers }) => {
      const line = { ":method": `${method}`, ":path": `${path}`, "content-type": `${type}` };
      const stream = begin({ ...line, ...headers });
      stream.write(Buffer.alloc(70_000));
      return stream;
    });
    await Promise.all(streams.map((stream) => once(stream.resume(), "close")));
    expect(streams.map(({ rstCode }) => rstCode)).toEqual(kinds.map(() => 0));
  });

  test("413 for a Content-Length over the limit, before the body is sent", async () => {
    const headers = { authorization: bearer(contract.own), "content-length": "65537" };
    const reply = await unending(contract.server.port, "PATCH", restPath, headers);
    expect(statusAndCode(reply)).toEqual([413, "payload_too_large"]);
    const stream = begin({ ":method": "PATCH", ":path": restPath, ...headers });
    expect(statusAndCode(await readStream(stream))).toEqual([413, "payload_too_large"]);
  });
});
