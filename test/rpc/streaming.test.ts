import { describe, expect, test } from "vitest";
import { rawSenders } from "../../packages/connect-gateway/test/rpc/raw-clients.ts";
import { newAuthorization } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

const path = "/inventory.v1.InventoryService/WatchInventory";
describe("a streaming call", () => {
  const server = useServer(memoryKind);
  const credentials = async () => ({ authorization: await newAuthorization(server.stores) });

  describe.each(rawSenders)("over %s", (_, send) => {
    test.each([
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
});
