import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { sendHttp2 } from "../../packages/connect-gateway/test/rpc/raw-clients.ts";
import { newAuthorization } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

const update = "/inventory.v1.InventoryService/UpdateInventory";
const batch = "/inventory.v1.InventoryService/BatchUpdateInventory";
const watch = "/inventory.v1.InventoryService/WatchInventory";
const check = "/grpc.health.v1.Health/Check";

const pair = "😀";
const updates = (from: number, quantity: number) =>
  Array.from({ length: 1_000 }, (_, index) => ({ petId: String(from - index), quantity }));

/** Requests whose errors quote them: name, path, message in JSON, and the gRPC status. */
const requests: readonly (readonly [string, string, string, string])[] = [
  ["a long unknown field", update, JSON.stringify({ ["x".repeat(60_000)]: 1 }), "3"],
  ["a long unknown field in UTF-8", update, JSON.stringify({ ["é".repeat(30_000)]: 1 }), "3"],
  ["a duplicate field", update, `{"${"x".repeat(30_000)}":1,"${"x".repeat(30_000)}":1}`, "3"],
  ["a thousand violations", batch, JSON.stringify({ updates: updates(0, -1) }), "3"],
  ["a thousand unknown pets", batch, JSON.stringify({ updates: updates(5_000, 1) }), "5"],
  ["a long service name", check, JSON.stringify({ service: "é".repeat(500) }), "5"],
  ["a lone surrogate in a field name", update, '{"\\ud800":1}', "3"],
  ["a lone surrogate in an enum", update, '{"reason":"\\udc00"}', "3"],
  ["a lone surrogate in a string", check, '{"service":"\\ud800"}', "3"],
  ["a lone surrogate in a stream", watch, '{"resumeToken":"\\ud800"}', "3"],
  ["surrogate pairs in a long text", update, `{"${pair.repeat(1_000)}":1}`, "3"],
  ["surrogate pairs in a long text, shifted", update, `{"x${pair.repeat(1_000)}":1}`, "3"],
  ["surrogate pairs in a long name", check, `{"service":"${pair.repeat(250)}"}`, "5"],
  ["surrogate pairs in a long name, shifted", check, `{"service":"x${pair.repeat(250)}"}`, "5"],
];

/** Limit on the headers that many gRPC clients accept, in bytes. */
const maxHeaderBytes = 8 * 1024;

describe("an error that quotes a request", () => {
  const server = useServer(memoryKind);
  let authorization = "";
  beforeEach(async () => {
    authorization = await newAuthorization(server.stores);
  });
  const send = (path: string, type: string, body: Uint8Array, more = {}) =>
    sendHttp2(server.port, {
      method: "POST",
      path,
      headers: { authorization, "content-type": type, ...more },
      body,
    });

  test.each(requests)(
    "is sent by gRPC within the header limit: %s",
    async (_what, path, json, code) => {
      const body = encodeEnvelope(0, Buffer.from(json));
      const { headers } = await send(path, "application/grpc+json", body);
      expect(headers["grpc-status"]).toBe(code);
      expect(headers["grpc-status-details-bin"]).toEqual(expect.any(String));
      expect(JSON.stringify(headers).length).toBeLessThan(maxHeaderBytes);
      expect(server.faults).toEqual([]);
    },
  );

  test.each([
    ["grpc-encoding", "x".repeat(10_000)],
    ["grpc-encoding", "\xe9".repeat(10_000)],
    ["grpc-timeout", "\xe9".repeat(10_000)],
  ])("is sent by gRPC within the header limit: a long %s", async (name, value) => {
    const body = encodeEnvelope(0, Buffer.from("{}"));
    const { headers } = await send(update, "application/grpc+json", body, { [name]: value });
    expect(headers["grpc-status"]).toMatch(/^(?:3|12)$/);
    expect(JSON.stringify(headers).length).toBeLessThan(maxHeaderBytes);
    expect(server.faults).toEqual([]);
  });

  test("is sent within the header limit for a path without a method", async () => {
    const path = `/a.b/${"\xe9".repeat(10_000)}`;
    const { headers } = await send(path, "application/grpc", new Uint8Array());
    expect(headers["grpc-status"]).toBe("12");
    expect(JSON.stringify(headers).length).toBeLessThan(maxHeaderBytes);
  });
});
