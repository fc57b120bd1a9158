import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { newAuthorization } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

const rpc = "/inventory.v1.InventoryService/WatchInventory";
const streams = [
  ["GET", "/v1/inventory:watch", "text/event-stream"],
  ["GET", "/v1/inventory:watch", "application/x-ndjson"],
  ["POST", rpc, "application/grpc"],
  ["POST", rpc, "application/grpc-web-text"],
  ["POST", rpc, "application/connect+proto"],
  ["POST", "/grpc.health.v1.Health/Watch", "application/grpc"],
] as const;

describe("streams", () => {
  const server = useServer(memoryKind);
  let authorization = "";
  beforeEach(async () => {
    authorization = await newAuthorization(server.stores);
  });

  it.each(streams)("ask nginx not to buffer them: %s %s in %s", async (method, path, type) => {
    const envelope = Buffer.from(encodeEnvelope(0, new Uint8Array()));
    const body = type.endsWith("text") ? envelope.toString("base64") : envelope;
    const headers = method === "GET" ? { accept: type } : { "content-type": type };

    const response = await fetch(server.url + path, {
      method,
      headers: { authorization, ...headers },
      ...(method === "POST" && { body }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    await response.body?.cancel();
  });
});
