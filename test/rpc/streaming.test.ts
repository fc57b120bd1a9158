import { describe, expect, it } from "vitest";
import { addAccount, addKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";
import { sendHttp1, sendHttp2 } from "./raw-clients.ts";

const path = "/inventory.v1.InventoryService/WatchInventory";
const memory = storeKinds.filter(({ name }) => name === "memory");

describe.each(memory)("a streaming call", (kind) => {
  const server = useServer(kind);

  describe.each([
    ["HTTP/1.1", sendHttp1],
    ["HTTP/2", sendHttp2],
  ] as const)("over %s", (_, send) => {
    it.each([
      ["a media type of no protocol", "POST", "text/plain", 415],
      ["the media type of a unary call", "POST", "application/json", 415],
      ["the HTTP method PUT", "PUT", "application/connect+json", 405],
    ])("with %s is rejected without a body", async (_name, method, type, status) => {
      const { secret } = await addKey(
        server.stores,
        await addAccount(server.stores, { plan: "business" }),
      );
      const headers = { authorization: `Bearer ${secret}`, "content-type": type };
      const reply = await send(server.port, { method, path, headers, body: Buffer.from("{}") });
      expect([reply.status, reply.body]).toEqual([status, ""]);
      expect(server.faults).toEqual([]);
    });

    it("by GET is rejected, and caches must not store the response", async () => {
      const { secret } = await addKey(
        server.stores,
        await addAccount(server.stores, { plan: "business" }),
      );
      const headers = { authorization: `Bearer ${secret}` };
      const reply = await send(server.port, { method: "GET", path, headers });
      expect(reply.status).toBe(415);
      expect(reply.headers["cache-control"]).toBe("no-store");
    });
  });
});
