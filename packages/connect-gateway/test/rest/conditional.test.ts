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
      const count = (__: unknown, call: Pick<HandlerContext, "responseHeader">) => {
        for (const [name, value] of Object.entries(set)) call.responseHeader.set(name, value);
      };
      return frontDoor(
        shelfTranscoder({
          methods: [
            unary(rpc.countBooks, (request, call) => {
              count(request, call);
              return { count: 5n };
            }),
            unary(rpc.putTags, (request, call) => {
              count(request, call);
              return { tags: ["x".repeat(2000)] };
            }),
            unary(rpc.getFile, (request, call) => {
              count(request, call);
              return { path: "x".repeat(2000) };
            }),
          ],
          ...options,
        }),
      );
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
        const reply = await sendOnce(
          serve,
          tagged({ etag: '"7"' }, { policy: () => ({ headers: { sunset: "x" } }) }),
          method,
          "/v1/books:count",
          { headers },
        );
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
        expect(
          (await sendOnce(serve, tagged({}), "GET", "/v1/books:count", { headers })).status,
        ).toBe(200);
      },
    );

    test("If-None-Match does not apply to a change: 200 with the whole response", async () => {
      const headers = { "if-none-match": '"7"' };
      expect(
        (await sendOnce(serve, tagged({ etag: '"7"' }), "PUT", "/v1/books/1/tags", { headers }))
          .status,
      ).toBe(200);
    });

    test("no-store without a tag and for errors, unless method, policy or front door set it", async () => {
      const plain = tagged({});
      expect(
        (await sendOnce(serve, plain, "GET", "/v1/books:count")).headers["cache-control"],
      ).toBe("no-store");
      expect((await sendOnce(serve, plain, "GET", "/v1/nothing")).headers["cache-control"]).toBe(
        "no-store",
      );
      expect(
        (await sendOnce(serve, plain, "PUT", "/v1/books/1/tags")).headers["cache-control"],
      ).toBeUndefined();
      const own = tagged({ "Cache-Control": "max-age=5" });
      expect((await sendOnce(serve, own, "GET", "/v1/books:count")).headers["cache-control"]).toBe(
        "max-age=5",
      );
      const policy = tagged({}, { policy: () => ({ headers: { "cache-control": "max-age=6" } }) });
      expect(
        (await sendOnce(serve, policy, "GET", "/v1/books:count")).headers["cache-control"],
      ).toBe("max-age=6");
      const door: Listener = (exchange) => {
        exchange.setHeader("cache-control", "max-age=7");
        plain(exchange);
      };
      expect((await sendOnce(serve, door, "GET", "/v1/books:count")).headers["cache-control"]).toBe(
        "max-age=7",
      );
    });
  });
});
