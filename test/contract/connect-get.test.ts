import { describe, expect, test } from "vitest";
import { itemsFrom } from "../support/stock.ts";
import { memoryKind, storeKinds } from "../support/stores.ts";
import { useContract } from "./support.ts";

const list =
  "GET /inventory.v1.InventoryService/ListInventory?encoding=json&message=%7B%7D&connect=v1";
const pet =
  "GET /inventory.v1.InventoryService/GetInventoryItem?encoding=json&message=%7B%22petId%22%3A%22404%22%7D";
const origin = "https://shop.example";

describe.each(storeKinds)("Connect GET requests in $name", (kind) => {
  const contract = useContract(kind, { CORS_ORIGINS: origin });

  async function fill() {
    const pets = itemsFrom(1n, 100);
    await contract.server.stores.catalog.put(pets);
  }

  const send = (headers: Record<string, string> = {}) => contract.send(list, { headers });

  test("has Vary, Cache-Control and an entity tag per content coding", async () => {
    await fill();
    const plain = await send();
    const coded = await send({ "accept-encoding": "gzip" });
    expect(plain.headers).toMatchObject({
      etag: expect.stringMatching(/^"/),
      vary: "Origin, accept-encoding",
      "cache-control": "private, no-cache",
    });
    expect(coded.headers).toMatchObject({
      "content-encoding": "gzip",
      etag: `W/${plain.headers.etag}`,
      vary: "Origin, accept-encoding",
      "cache-control": "private, no-cache",
    });
  });

  test("304 without content until the list changes", async () => {
    await fill();
    for (const coding of ["identity", "gzip"]) {
      const headers = { "accept-encoding": coding };
      const { etag = "" } = (await send(headers)).headers;
      const known = await send({ ...headers, "if-none-match": `"x", ${etag}` });
      expect([known.status, known.body]).toEqual([304, ""]);
      expect(known.headers).toMatchObject({
        etag,
        vary: "Origin, accept-encoding",
        "cache-control": "private, no-cache",
        "x-ratelimit-limit": "60",
      });
      expect(known.headers["content-type"]).toBeUndefined();
      await contract.server.stores.inventory.change({ petId: 1n, delta: 1 });
      const changed = await send({ ...headers, "if-none-match": etag });
      expect(changed.status).toBe(200);
      expect(changed.headers.etag).not.toBe(etag);
    }
  });

  const twice = (name: string) => `The query parameter ${name} is given twice`;
  const unencoded = "The query parameter encoding must be json or proto.";
  test.each([
    ["encoding=json", 400, "The query parameter message is missing."],
    ["encoding=proto", 400, "The query parameter message is missing."],
    ["encoding=json&message=", 400, "The message is empty: without fields, it is {} in JSON."],
    ["encoding=json&base64=1&message=", 400, "The message is empty"],
    ["encoding=json&base64=1&message=%25", 400, "The query parameter message is not base64"],
    ["encoding=json&base64=yes&message=e30", 400, "The query parameter base64 must be 1"],
    ["encoding=json&message=%7B", 400, "The message is not valid JSON: "],
    ["encoding=json&encoding=proto&message=%7B%7D", 400, twice("encoding")],
    ["encoding=json&message=%7B%7D&message=%7B%7D", 400, twice("message")],
    ["message=%7B%7D", 415, unencoded],
    ["encoding=xml&message=%7B%7D", 415, unencoded],
    ["", 415, unencoded],
  ])("says what is wrong with the query %j", async (query, status, text) => {
    const path = "/inventory.v1.InventoryService/ListInventory";
    const reply = await contract.send(`GET ${path}?${query}`);
    const { code, message } = JSON.parse(reply.body);
    expect([reply.status, code]).toEqual([
      status,
      status === 400 ? "invalid_argument" : "unsupported_media_type",
    ]);
    expect(message).toContain(text);
  });

  test("an error has Cache-Control: no-store", async () => {
    const replies = [
      await contract.send(pet),
      await contract.send(list, { authorization: "Bearer x" }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 401]);
    expect(replies.map(({ headers }) => headers["cache-control"])).toEqual([
      "no-store",
      "no-store",
    ]);
  });
});

describe("X-Content-Type-Options: nosniff", () => {
  const contract = useContract(memoryKind, { CORS_ORIGINS: origin });
  const json = { "content-type": "application/json" };
  const preflight = { origin, "access-control-request-method": "GET" };
  const grpcWeb = { "content-type": "application/grpc-web" };

  test.each<[string, string, Record<string, string>, number]>([
    ["a list", "GET /v1/inventory", {}, 200],
    ["an error", "PATCH /v1/inventory/404", json, 400],
    ["a path that does not exist", "GET /nothing", {}, 404],
    ["a preflight", "OPTIONS /v1/inventory", preflight, 204],
    ["a malformed request", "GET /v1/inventory", { "content-length": "x" }, 400],
    ["too many headers", "GET /v1/inventory", { x: "x".repeat(20_000) }, 431],
    ["a call by Connect", "POST /inventory.v1.InventoryService/ListInventory", json, 200],
    ["a call by gRPC-Web", "POST /inventory.v1.InventoryService/ListInventory", grpcWeb, 200],
    ["a health check", "GET /livez", {}, 200],
    ["the documentation", "GET /docs", {}, 200],
    ["the OpenAPI document", "GET /openapi.json", {}, 200],
  ])("is on %s", async (_, line, headers, status) => {
    const body = headers === json ? "{}" : headers === grpcWeb ? "\0\0\0\0\0" : undefined;
    const reply = await contract.send(line, { headers, ...(body !== undefined && { body }) });
    expect(reply.status).toBe(status);
    expect(reply.headers["x-content-type-options"]).toBe("nosniff");
  });
});
