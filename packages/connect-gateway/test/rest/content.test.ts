import {
  brotliCompressSync,
  brotliDecompressSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { Method } from "../../src/call/method.ts";
import { ListBooksResponseSchema, ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { type Listener, protocols, sendOnce } from "./support/clients.ts";
import { unary } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;
const long = JSON.stringify(["x".repeat(900), "y".repeat(80)]);
const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

describe.each(protocols)("%s", (_, serve) => {
  describe("content coding of a request", () => {
    const listener = frontDoor(shelfTranscoder());
    const put = (body: string | Uint8Array, coding: string) =>
      sendOnce(serve, listener, "PUT", "/v1/books/1/tags", {
        body,
        headers: { "content-encoding": coding },
      });

    test.each([
      ["gzip", gzipSync],
      ["x-gzip", gzipSync],
      ["GZIP", gzipSync],
      ["br", brotliCompressSync],
      ["zstd", zstdCompressSync],
      ["identity", (data: string) => data],
    ] as const)("%s is undone", async (coding, code) => {
      expect(await put(code('["a"]'), coding)).toMatchObject({ status: 200, body: '["a"]' });
    });

    test.each(["gzip", "br", "zstd"])("400 for a body that is not %s", async (coding) => {
      const reply = await put('["a"]', coding);
      expect(reply.status).toBe(400);
      expect(JSON.parse(reply.body).message).toBe(`request body: must be valid ${coding}`);
    });

    test("413 for a body that is too large when decompressed", async () => {
      const bomb = `["${"x".repeat(10_000_000)}"]`;
      for (const [coding, code] of [
        ["gzip", gzipSync],
        ["br", brotliCompressSync],
        ["zstd", zstdCompressSync],
      ] as const) {
        // With gzip, the compressed body is too large too.
        const reply = await put(code(bomb), coding);
        expect(reply.status).toBe(413);
      }
      const justRight = `["${"x".repeat(996)}"]`;
      expect((await put(gzipSync(justRight), "gzip")).status).toBe(200);
      expect((await put(gzipSync(`${justRight} `), "gzip")).status).toBe(413);
    });

    test.each(["deflate", "gzip, br", "compress"])(
      "415 with Accept-Encoding for %s",
      async (coding) => {
        const reply = await put("x", coding);
        expect(reply.status).toBe(415);
        expect(reply.headers["accept-encoding"]).toBe("zstd, br, gzip");
        expect(JSON.parse(reply.body)).toMatchObject({
          code: "unsupported_media_type",
          message:
            "The request body must be sent without a content coding, or with one of zstd, br, gzip.",
        });
      },
    );
  });

  describe("content coding of a response", () => {
    const listener = frontDoor(shelfTranscoder());
    const largeTags: Method = unary(rpc.putTags, () => ({ tags: JSON.parse(long) }));
    const large = frontDoor(shelfTranscoder({ methods: [largeTags] }));
    const text = JSON.stringify(["x".repeat(1100)]);
    const larger = frontDoor(
      shelfTranscoder({ methods: [unary(rpc.putTags, () => ({ tags: JSON.parse(text) }))] }),
    );

    test.each(["gzip", "br", "zstd"] as const)("%s, if the client accepts it", async (coding) => {
      const reply = await sendOnce(serve, larger, "PUT", "/v1/books/1/tags", {
        headers: { "accept-encoding": coding },
      });
      expect(reply.headers).toMatchObject({
        "content-encoding": coding,
        "content-length": `${reply.bytes.length}`,
        "content-type": "application/json",
        vary: "accept-encoding",
      });
      expect(decoders[coding](reply.bytes).toString()).toBe(text);
    });

    test("none, if the client accepts none; Vary says that it depends on the request", async () => {
      const reply = await sendOnce(serve, larger, "PUT", "/v1/books/1/tags");
      expect(reply.body).toBe(text);
      expect(reply.headers["content-encoding"]).toBeUndefined();
      expect(reply.headers.vary).toBe("accept-encoding");
    });

    test("none below a kilobyte", async () => {
      expect(Buffer.byteLength(long)).toBeLessThan(1024);
      const reply = await sendOnce(serve, large, "PUT", "/v1/books/1/tags", {
        headers: { "accept-encoding": "gzip" },
      });
      expect(reply.body).toBe(long);
      expect(reply.headers.vary).toBeUndefined();
    });

    test("keeps the Vary header of the method", async () => {
      const varying: Listener = (exchange) => {
        exchange.setHeader("vary", "origin");
        larger(exchange);
      };
      const reply = await sendOnce(serve, varying, "PUT", "/v1/books/1/tags");
      expect(reply.headers.vary).toBe("origin, accept-encoding");
    });

    test("an error is never compressed", async () => {
      const reply = await sendOnce(serve, listener, "GET", "/v1/nothing", {
        headers: { "accept-encoding": "gzip" },
      });
      expect(reply.headers["content-encoding"]).toBeUndefined();
    });
  });

  describe("a large response", () => {
    const books = Array.from({ length: 500 }, (__, index) => ({ title: `Book ${index} €` }));
    test("is complete, with its length in bytes", async () => {
      const listener = frontDoor(
        shelfTranscoder({ methods: [unary(rpc.listBooks, () => ({ books }) as never)] }),
      );
      const reply = await sendOnce(serve, listener, "GET", "/v1/books");
      expect(JSON.parse(reply.body).books.map(({ title }: { title: string }) => title)).toEqual(
        books.map(({ title }) => title),
      );
      expect(reply.headers["content-length"]).toBe(`${reply.bytes.length}`);
    });

    test("that is frozen is encoded once", async () => {
      const response = Object.freeze(create(ListBooksResponseSchema, { books: books as never }));
      const method: Method = {
        kind: "unary",
        desc: rpc.listBooks,
        before: () => {},
        check: () => {},
        isLong: () => false,
        mapError: (error) => error,
        invoke: () => Promise.resolve(response),
      };
      const listener = frontDoor(shelfTranscoder({ methods: [method] }));
      const before = await sendOnce(serve, listener, "GET", "/v1/books", {
        headers: { "accept-encoding": "gzip" },
      });
      // Changing a part of a frozen message shows that the cached content is sent.
      response.books.length = 0;
      const after = await sendOnce(serve, listener, "GET", "/v1/books", {
        headers: { "accept-encoding": "gzip" },
      });
      expect(after.bytes.equals(before.bytes)).toBe(true);
      expect((await sendOnce(serve, listener, "GET", "/v1/books")).body).toBe(
        gunzipSync(before.bytes).toString(),
      );
    });
  });
});
