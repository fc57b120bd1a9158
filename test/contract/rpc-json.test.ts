import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { nthVersion } from "../support/stores.ts";
import { overHttp2 } from "./http-clients.ts";
import { bearer, describeApi, expectConnectError, expectError } from "./support.ts";

describeApi("JSON on RPC in $name", (contract) => {
  const list = "inventory.v1.InventoryService/ListInventory";
  const update = "inventory.v1.InventoryService/UpdateInventory";

  test("is ProtoJSON: 64-bit integers as strings, full enum names", async () => {
    const reply = await contract.call(list, {});
    expect(reply).toMatchObject({ status: 200 });
    expect(reply.body).toBe(
      '{"items":[{"petId":"1","quantity":12,"status":"PET_STATUS_AVAILABLE"},' +
        '{"petId":"2","quantity":0,"status":"PET_STATUS_SOLD"},' +
        '{"petId":"9007199254740993","quantity":7,"status":"PET_STATUS_PENDING"}],' +
        `"version":"${nthVersion(3)}"}`,
    );
  });

  test.each([
    ["9007199254740993", "pending", "PENDING"],
    ["9223372036854775807", "sold", "SOLD"],
  ])("has exactly the same petId %s as HTTP", async (petId, word, name) => {
    await contract.server.stores.catalog.put([
      { petId: 9_223_372_036_854_775_807n, quantity: 1, status: 3 },
    ]);
    const rpc = await contract.call(update, { petId, update: { quantity: 8 } });
    expect(rpc.body).toBe(
      `{"item":{"petId":"${petId}","quantity":8,"status":"PET_STATUS_${name}"},"version":"${nthVersion(5)}"}`,
    );
    const http = await contract.send(`PATCH /v1/inventory/${petId}`, { body: '{"quantity":8}' });
    expect(http.body).toBe(`{"petId":${petId},"quantity":8,"status":"${word}"}`);
    const { body } = await contract.send("GET /v1/inventory");
    expect(body).toContain(`{"petId":${petId},"quantity":8,"status":"${word}"}`);
    const { body: listed } = await contract.call(list, {});
    expect(listed).toContain(`{"petId":"${petId}","quantity":8,"status":"PET_STATUS_${name}"}`);
  });

  test.each([
    [{ petId: 1, update: { quantity: 5 } }],
    [{ petId: "1", update: { quantity: "5" } }],
    [{ pet_id: "1", update: { quantity: 5 } }],
  ])("accepts the other forms of ProtoJSON: %j", async (message) => {
    const { body } = await contract.call(update, message);
    expect(body).toBe(
      `{"item":{"petId":"1","quantity":5,"status":"PET_STATUS_AVAILABLE"},"version":"${nthVersion(4)}"}`,
    );
  });

  describe("an unknown member", () => {
    const message = '{"petId":1,"colour":{"red":[1]},"update":{"quantity":5,"status":"SOLD"}}';
    const enveloped = `\0\0\0\0${String.fromCharCode(message.length)}${message}`;

    test.each([
      ["Connect", "application/json", message],
      ["gRPC", "application/grpc+json", enveloped],
      ["gRPC-Web", "application/grpc-web+json", enveloped],
    ])("is ignored by %s", async (_, type, body) => {
      const headers = { authorization: bearer(contract.own), "content-type": type };
      const reply = await overHttp2(contract.server.url, "POST", `/${update}`, headers, body);
      expect(reply.status).toBe(200);
      expect(reply.body).toContain(
        `{"item":{"petId":"1","quantity":5,"status":"PET_STATUS_AVAILABLE"},"version":"${nthVersion(4)}"}`,
      );
    });

    test("is rejected by JSON over HTTP", async () => {
      const body = '{"quantity":5,"colour":"red"}';
      const reply = await contract.send("PATCH /v1/inventory/1", { body });
      expectError(reply, 400, "invalid_argument", "colour");
      expect(await contract.server.stores.inventory.get(1n)).toMatchObject({ quantity: 12 });
    });
  });

  test("resource_exhausted when the message is larger than allowed", async () => {
    const reply = await contract.call(update, { petId: "1", update: { note: "x".repeat(70_000) } });
    expectConnectError(reply, "resource_exhausted");
  });
});

describeApi("paths without a method in $name", (contract) => {
  const json = { "content-type": "application/json" };

  test.each([
    "/inventory.v1.InventoryService/Nothing",
    "/inventory.v1.InventoryService/listInventory",
    "/inventory.v1.InventoryService",
    "/inventory.v1.InventoryService/ListInventory/",
    "/inventory.v2.InventoryService/ListInventory",
  ])("404 to JSON for %s", async (path) => {
    expectError(
      await contract.send(`POST ${path}`, { headers: json, body: "{}" }),
      404,
      "not_found",
    );
  });

  test.each([
    ["unimplemented", Code.Unimplemented, true],
    ["unauthenticated", Code.Unauthenticated, false],
  ])("%s to gRPC", async (_, code, authorized) => {
    const { fields, status } = await overHttp2(
      contract.server.url,
      "POST",
      "/inventory.v1.InventoryService/Nothing",
      {
        "content-type": "application/grpc",
        te: "trailers",
        ...(authorized && { authorization: bearer(contract.own) }),
      },
      "",
    );
    expect(status).toBe(200);
    expect(fields.get("grpc-status")).toBe(String(code));
    expect(fields.get("x-ratelimit-remaining")).toBe(authorized ? "59" : "599");
  });

  test("404 for an unknown path with a gRPC media type", async () => {
    const headers = { "content-type": "application/grpc" };
    expectError(await contract.send("GET /v1/nothing", { headers }), 404, "not_found");
  });
});
