import { describe, expect, test } from "vitest";
import { rawSenders } from "../../packages/connect-gateway/test/rpc/raw-clients.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

const paths = ["/livez", "/readyz", "/", "/docs", "/openapi.json", "/docs/rpc.json"];
const allow = "GET, HEAD, OPTIONS";

describe("public paths", () => {
  const server = useServer(memoryKind);

  describe.each(rawSenders)("over %s", (_, send) => {
    test.each(paths)("%s: HEAD is as GET without a body", async (path) => {
      const get = await send(server.port, { method: "GET", path });
      const head = await send(server.port, { method: "HEAD", path });
      const withoutId = ({ headers }: typeof get) => ({ ...headers, "x-request-id": "" });
      expect([get.status, head.status, head.body]).toEqual([200, 200, ""]);
      expect(withoutId(head)).toEqual(withoutId(get));
    });

    test.each(paths)("%s: OPTIONS is 204 with Allow", async (path) => {
      const reply = await send(server.port, { method: "OPTIONS", path });
      expect([reply.status, reply.headers.allow, reply.body]).toEqual([204, allow, ""]);
    });

    test.each(paths)("%s: other methods are 405 with Allow", async (path) => {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "TRACE", "QUERY"]) {
        const hasBody = ["POST", "PUT", "PATCH"].includes(method);
        const body = hasBody && { body: Buffer.from("x".repeat(100)) };
        const reply = await send(server.port, { method, path, ...body });
        expect([method, reply.status, reply.headers.allow]).toEqual([method, 405, allow]);
        expect(reply.headers["x-error-reason"]).toBe("METHOD_NOT_ALLOWED");
        expect(JSON.parse(Buffer.from(reply.body, "hex").toString())).toEqual({
          code: "method_not_allowed",
          message: expect.stringContaining(allow),
          status: 405,
        });
      }
      expect(server.faults).toEqual([]);
    });
  });
});
