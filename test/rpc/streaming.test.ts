import { createEnvelopeReadableStream, encodeEnvelope } from "@connectrpc/connect/protocol";
import { describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { sendHttp1, sendHttp2 } from "../../packages/connect-gateway/test/rpc/raw-clients.ts";
import { newAuthorization } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

const path = "/inventory.v1.InventoryService/WatchInventory";
describe("a streaming call", () => {
  const server = useServer(memoryKind);
  const credentials = async () => ({ authorization: await newAuthorization(server.stores) });

  describe.each([
    ["HTTP/1.1", sendHttp1],
    ["HTTP/2", sendHttp2],
  ] as const)("over %s", (_, send) => {
    it.each([
      ["a media type of no protocol", "POST", "text/plain", 415, "UNSUPPORTED_MEDIA_TYPE"],
      ["the media type of a unary call", "POST", "application/json", 415, "UNSUPPORTED_MEDIA_TYPE"],
      ["the HTTP method PUT", "PUT", "application/connect+json", 405, "METHOD_NOT_ALLOWED"],
    ])("with %s is rejected with the reason", async (_name, method, type, status, reason) => {
      const headers = { ...(await credentials()), "content-type": type };
      const reply = await send(server.port, { method, path, headers, body: Buffer.from("{}") });
      expect([reply.status, reply.headers["x-error-reason"]]).toEqual([status, reason]);
      expect(reply.headers.allow).toBe(status === 405 ? "POST" : undefined);
      expect(JSON.parse(Buffer.from(reply.body, "hex").toString())).toMatchObject({ status });
      expect(server.faults).toEqual([]);
    });
  });

  it.each([
    ["connect-timeout-ms", "9999999999", "application/connect+json"],
    ["grpc-timeout", "99999999H", "application/grpc-web+json"],
  ])("with a longer timeout in %s than a timer can wait goes on", async (name, timeout, type) => {
    const { inventory } = server.stores;
    const item = { petId: 1n, quantity: 1, status: PetStatus.AVAILABLE };
    await inventory.put([item]);
    const { body } = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: "POST",
      headers: { ...(await credentials()), "content-type": type, [name]: timeout },
      body: encodeEnvelope(0, Buffer.from("{}")),
    });
    if (!body) throw new Error("no body");
    const messages = createEnvelopeReadableStream(body).getReader();
    const next = async () => {
      const { value } = await messages.read();
      return { flags: value?.flags, text: Buffer.from(value?.data ?? []).toString() };
    };
    expect(await next()).toMatchObject({ flags: 0, text: expect.stringContaining("item") });
    expect(await next()).toMatchObject({ flags: 0, text: expect.stringContaining("ready") });
    await inventory.put([{ ...item, quantity: 2 }]);
    expect(await next()).toEqual({ flags: 0, text: expect.stringContaining('"quantityAfter":2') });
    await messages.cancel();
  });
});
