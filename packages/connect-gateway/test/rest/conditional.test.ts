import type { HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import type { TranscoderOptions } from "../../src/rest/transcoder.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { type Listener, protocols, sendOnce } from "./support/clients.ts";
import { unary } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;

describe.each(protocols)("%s", (_, serve) => {
  describe("conditional reads", () => {
    const tagged = (set: Record<string, string>, options: Partial<TranscoderOptions> = {}) => {
      const returning =
        <T>(response: T) =>
        (__: unknown, { responseHeader }: HandlerContext) => {
          for (const [name, value] of Object.entries(set)) responseHeader.set(name, value);
          return response;
        };
      const methods = [
        unary(rpc.countBooks, returning({ count: 5n })),
        unary(rpc.putTags, returning({ tags: ["x".repeat(2000)] })),
        unary(rpc.getFile, returning({ path: "x".repeat(2000) })),
      ];
      return frontDoor(shelfTranscoder({ methods, ...options }));
    };

    test("200 with the tag, cacheable only by the client", async () => {
      const reply = await sendOnce(serve, tagged({ ETag: '"7"' }), "GET", "/v1/books:count", {
        headers: { "if-none-match": '"6"' },
      });
      expect(reply).toMatchObject({ status: 200, body: "5" });
      expect(reply.headers).toMatchObject({ etag: '"7"', "cache-control": "private, no-cache" });
    });

    test.each(["GET", "HEAD"])(
      "304 for %s when the client has the current version",
      async (method) => {
        const headers = { "if-none-match": 'W/"6", "7"' };
        const policy = () => ({ headers: { sunset: "x" } });
        const listener = tagged({ etag: '"7"' }, { policy });
        const reply = await sendOnce(serve, listener, method, "/v1/books:count", { headers });
        expect(reply).toMatchObject({ status: 304, body: "" });
        expect(reply.headers).toMatchObject({
          etag: '"7"',
          sunset: "x",
          "cache-control": "private, no-cache",
          "x-ratelimit-limit": "60",
        });
        expect(reply.headers["content-type"]).toBeUndefined();
        expect(reply.headers["content-length"]).toBeUndefined();
      },
    );

    test("a tag is weak for compressed content, and matches in the next request", async () => {
      const listener = tagged({ etag: '"7"' });
      const headers = { "accept-encoding": "br" };
      const reply = await sendOnce(serve, listener, "GET", "/v1/files/x", { headers });
      expect(reply.headers).toMatchObject({
        etag: 'W/"7"',
        "content-encoding": "br",
        vary: "accept-encoding",
      });
      const plain = await sendOnce(serve, listener, "GET", "/v1/files/x");
      expect(plain.headers).toMatchObject({ etag: '"7"', vary: "accept-encoding" });
      const again = await sendOnce(serve, listener, "GET", "/v1/files/x", {
        headers: { ...headers, "if-none-match": 'W/"7"' },
      });
      expect(again.status).toBe(304);
      expect(again.headers).toMatchObject({ etag: 'W/"7"', vary: "accept-encoding" });
    });

    test.each(["*", '"7"'])(
      "200 for If-None-Match %s when the response has no tag",
      async (known) => {
        const headers = { "if-none-match": known };
        const reply = await sendOnce(serve, tagged({}), "GET", "/v1/books:count", { headers });
        expect(reply.status).toBe(200);
      },
    );

    test("If-None-Match does not apply to a change: 200 with the whole response", async () => {
      const headers = { "if-none-match": '"7"' };
      const listener = tagged({ etag: '"7"' });
      const reply = await sendOnce(serve, listener, "PUT", "/v1/books/1/tags", { headers });
      expect(reply.status).toBe(200);
    });

    test("no-store without a tag and for errors, unless method, policy or front door set it", async () => {
      const cacheControl = async (listener: Listener, method = "GET", path = "/v1/books:count") =>
        (await sendOnce(serve, listener, method, path)).headers["cache-control"];
      const plain = tagged({});
      expect(await cacheControl(plain)).toBe("no-store");
      expect(await cacheControl(plain, "GET", "/v1/nothing")).toBe("no-store");
      expect(await cacheControl(plain, "PUT", "/v1/books/1/tags")).toBeUndefined();
      expect(await cacheControl(tagged({ "Cache-Control": "max-age=5" }))).toBe("max-age=5");
      const policy = () => ({ headers: { "cache-control": "max-age=6" } });
      expect(await cacheControl(tagged({}, { policy }))).toBe("max-age=6");
      const door: Listener = (exchange) => {
        exchange.setHeader("cache-control", "max-age=7");
        plain(exchange);
      };
      expect(await cacheControl(door)).toBe("max-age=7");
    });
  });
});
