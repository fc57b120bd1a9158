import { describe, expect, it } from "vitest";
import { connectHttp1 } from "../front-door/support/http1-client.ts";
import { storeKinds } from "../support/stores.ts";
import { askAll, each, forAll } from "./dialects.ts";
import { overHttp2 } from "./http-clients.ts";
import { bearer, type Reply, unknownPet, useContract } from "./support.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const list = "/inventory.v1.InventoryService/ListInventory";
const update = "/inventory.v1.InventoryService/UpdateInventory";
const shop = "https://shop.example";

const idOf = ({ headers }: Reply) => headers["x-request-id"];

describe.each(storeKinds)("X-Request-Id in $name", (kind) => {
  const contract = useContract(kind, { CORS_ORIGINS: shop, HEADERS_TIMEOUT_MS: "1000" });
  const { send } = contract;
  const own = () => bearer(contract.own);

  describe("made by the server", () => {
    it.each([
      ["a result", () => own(), { list: true as const }],
      ["a refused key", () => null, { list: true as const }],
      ["an error of the method", () => own(), { petId: BigInt(unknownPet), update: {} }],
    ])("is one UUID on every protocol, a new one each time: %s", async (_, authorization, ask) => {
      const outcomes = await askAll(contract, authorization(), ask);
      const ids = each(outcomes, ({ fields }) => fields.get("x-request-id"));
      expect(ids).toEqual(forAll(() => expect.stringMatching(uuid)));
      expect(new Set(Object.values(ids))).toHaveLength(outcomes.size);
    });

    it.each([
      [200, "GET /livez"],
      [200, "GET /readyz"],
      [200, "GET /docs"],
      [200, "GET /openapi.json"],
      [405, "POST /openapi.json"],
      [204, "OPTIONS /v1/inventory"],
      [400, "GET /v1/inventory?x=1"],
      [400, "GET http://a:b/"],
      [404, "GET /v1/nothing"],
      [405, "DELETE /v1/inventory"],
    ])("is on %i to %s", async (status, line) => {
      const reply = await send(line);
      expect([reply.status, idOf(reply)]).toEqual([status, expect.stringMatching(uuid)]);
    });

    it("is on 204 to a CORS preflight", async () => {
      const reply = await send("OPTIONS /v1/inventory", {
        authorization: null,
        headers: { origin: shop, "access-control-request-method": "GET" },
      });
      expect([reply.status, idOf(reply)]).toEqual([204, expect.stringMatching(uuid)]);
    });

    it.each([
      [400, "no Host header", "GET /livez HTTP/1.1\r\n\r\n"],
      [400, "what is not HTTP", "GET /livez HTTP/1.1\r\nHost\r\n\r\n"],
      [405, "CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"],
      [408, "a header section that never ends", "GET /livez HTTP/1.1\r\nHost: a\r\n"],
      [417, "another expectation", "GET /livez HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n"],
      [431, "a long header", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`],
    ])("is on %i to %s over HTTP/1.1", async (status, _, request) => {
      const client = await connectHttp1(contract.server.port, request);
      const reply = await client.response();
      expect(reply.status).toBe(status);
      expect(reply.headers.get("x-request-id")).toMatch(uuid);
    });

    it.each([
      [431, { "x-long": "x".repeat(20_000) }],
      [417, { expect: "x" }],
    ])("is on %i over HTTP/2", async (status, headers) => {
      const reply = await overHttp2(contract.server.url, "GET", "/livez", headers);
      expect(reply.status).toBe(status);
      expect(reply.fields.get("x-request-id")).toMatch(uuid);
    });
  });

  describe("sent by the client", () => {
    const rows: readonly [string, string, string, string, string][] = [
      ["JSON over HTTP", "GET", "/v1/inventory", "application/json", ""],
      ["an error over HTTP", "GET", "/v1/inventory/404", "application/json", ""],
      ["Connect", "POST", list, "application/json", "{}"],
      ["an error of Connect", "POST", update, "application/json", "{}"],
      ["gRPC", "POST", list, "application/grpc", "\0\0\0\0\0"],
      ["an error of gRPC", "POST", update, "application/grpc", "\0\0\0\0\0"],
      ["gRPC-Web", "POST", list, "application/grpc-web", "\0\0\0\0\0"],
      ["an error of gRPC-Web", "POST", update, "application/grpc-web", "\0\0\0\0\0"],
    ];
    it.each(rows)("is returned: %s", async (_, method, path, type, body) => {
      const headers = {
        authorization: own(),
        "x-request-id": "till-3:0042",
        ...(body !== "" && { "content-type": type }),
      };
      const reply = await overHttp2(contract.server.url, method, path, headers, body || undefined);
      expect(reply.fields.get("x-request-id")).toBe("till-3:0042");
    });

    it.each(["!", "~".repeat(128)])("is returned at the bounds: %j", async (id) => {
      expect(idOf(await send("GET /v1/inventory", { headers: { "x-request-id": id } }))).toBe(id);
    });

    it.each(["", "a b", "a,b c", "caf\xe9", "x".repeat(129)])(
      "is replaced when it is not valid: %j",
      async (id) => {
        const reply = await send("GET /v1/inventory", { headers: { "x-request-id": id } });
        expect([reply.status, idOf(reply)]).toEqual([200, expect.stringMatching(uuid)]);
      },
    );

    it("is replaced when there are two", async () => {
      const headers = { "x-request-id": ["a", "b"] };
      expect(idOf(await send("GET /v1/inventory", { headers }))).toMatch(uuid);
    });
  });
});
