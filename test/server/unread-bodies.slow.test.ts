import type { ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import { beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { maxOpenStreams } from "../../packages/connect-gateway/src/server/connections/http2-limits.ts";
import { connectHttp2 } from "../../packages/connect-gateway/test/server/support/http2-client.ts";
import { scopes } from "../../src/access/scopes.ts";
import { unknownOrigin } from "../../src/stores/stock-change.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

const atOnce = 50;
/** More than a connection can have open: the last ones are refused if the first ones stay open. */
const requests = maxOpenStreams + atOnce;

/** More than the initial flow-control window of 65,535 bytes of a stream and a connection. */
const body = Buffer.alloc(70_000);

/** The beginning of a message of 1 MB. */
const largeMessage = Buffer.concat([Buffer.from([0, 0, 0x10, 0, 0]), body]);
/** An empty message, which ImportPets refuses, and the beginning of a long one. */
const emptyMessage = Buffer.concat([Buffer.alloc(5), Buffer.from([0, 0, 0, 0xff, 0xff]), body]);

const batch = "/v1/inventory:batchUpdate";
const adjust = "/v1/inventory/1:adjust";
const update = "/inventory.v1.InventoryService/UpdateInventory";
const streaming = "/catalog.v1.CatalogService/ImportPets";
const json = { "content-type": "application/json" };
const text = { "content-type": "text/plain" };
const grpc = { "content-type": "application/grpc" };
const connect = { "content-type": "application/connect+proto" };
/** Adds an empty Authorization header, in which each test sends a key of its own. */
const withKey = (headers: OutgoingHttpHeaders) => ({ ...headers, authorization: "" });

/** The HTTP or gRPC status. Rejects if the stream is reset before the status arrives. */
function statusOf(stream: ClientHttp2Stream): Promise<string> {
  return new Promise((resolve, reject) => {
    let status: unknown;
    stream.on("response", (headers) => {
      status = headers["grpc-status"] ?? headers[":status"];
    });
    stream.on("trailers", (trailers) => {
      status = trailers["grpc-status"];
    });
    stream.on("error", reject).on("close", () => resolve(String(status)));
    stream.resume();
  });
}

describe("a connection serves many requests whose bodies the server does not read:", () => {
  const server = useServer(memoryKind, { ANONYMOUS_PER_MINUTE: "100000" });
  let authorization = "";

  beforeEach(async () => {
    const item = { petId: 1n, quantity: 1, status: PetStatus.AVAILABLE };
    await server.stores.catalog.put([item], unknownOrigin);
    const limits = { perMinute: 100_000, perDay: 100_000 };
    const account = await addAccount(server.stores, { plan: "enterprise", limits });
    const { secret } = await addKey(server.stores, account, { scopes });
    authorization = `Bearer ${secret}`;
  });

  test.each<[what: string, status: string, path: string, headers: OutgoingHttpHeaders, Buffer]>([
    ["REST without a key", "401", batch, json, body],
    ["a unary call without a key", "16", update, grpc, body],
    ["a stream without a key", "16", streaming, grpc, body],
    ["a method that the path does not have", "405", "/livez", {}, body],
    ["an unknown path", "404", "/v1/nothing", withKey({}), body],
    ["a wrong media type", "415", batch, withKey(text), body],
    ["an overlong body", "413", adjust, withKey(json), body],
    ["an overlong message of a unary call", "8", update, withKey(grpc), largeMessage],
    ["data after an invalid message (gRPC)", "3", streaming, withKey(grpc), emptyMessage],
    ["data after an invalid message (Connect)", "200", streaming, withKey(connect), emptyMessage],
  ])("%s: status %s", async (_, status, path, headers, body) => {
    const session = connectHttp2(server.url, { maxSessionMemory: 100 });
    const key = "authorization" in headers ? { authorization } : {};
    const request = { ...headers, ...key, ":method": "POST", ":path": path };
    for (let sent = 0; sent < requests; sent += atOnce) {
      const streams = Array.from({ length: atOnce }, () => {
        const stream = session.request(request);
        stream.write(body); // and no end
        return statusOf(stream);
      });
      expect(new Set(await Promise.all(streams))).toEqual(new Set([status]));
    }
    const last = session.request({ ":method": "PATCH", ":path": "/v1/inventory/1", authorization });
    last.end(`{"quantity":${" ".repeat(60_000)}1}`);
    expect(await statusOf(last)).toBe("200");
    expect(server.faults).toEqual([]);
  });
});
