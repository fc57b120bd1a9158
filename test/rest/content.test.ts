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
import { httpJson } from "../../src/rest/json-form.ts";
import { createTranscoder, type TranscoderOptions } from "../../src/rest/transcoder.ts";
import { ListBooksResponseSchema, ShelfService } from "./gen/shelf/v1/shelf_pb.ts";
import { type Listener, protocols, type RequestInit } from "./support/clients.ts";
import { unary } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;
const long = JSON.stringify(["x".repeat(900), "y".repeat(80)]);
const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

describe.each(protocols)("%s", (_, serve) => {
  async function once(listener: Listener, method: string, target: string, init?: RequestInit) {
    const own = await serve(listener);
    try {
      return await own.send(method, target, init);
    } finally {
      await own.close();
    }
  }

  describe("content coding of a request", () => {
    const listener = frontDoor(shelfTranscoder());
    const put = (body: string | Uint8Array, coding: string) =>
      once(listener, "PUT", "/v1/books/1/tags", { body, headers: { "content-encoding": coding } });

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

    test.each(["gzip", "br", "zstd"])("400 for what is not %s", async (coding) => {
      const reply = await put('["a"]', coding);
      expect(reply.status).toBe(400);
      expect(JSON.parse(reply.body).message).toBe(`request body: is not valid ${coding}`);
    });

    test("413 for what gets too large", async () => {
      const bomb = `["${"x".repeat(10_000_000)}"]`;
      for (const [coding, code] of [
        ["gzip", gzipSync],
        ["br", brotliCompressSync],
        ["zstd", zstdCompressSync],
      ] as const) {
        // gzip can't make it small enough to be let in at all.
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
        expect(JSON.parse(reply.body)).toMatchObject({ code: "unsupported_media_type" });
      },
    );
  });

  describe("content coding of an answer", () => {
    const listener = frontDoor(shelfTranscoder());
    const largeTags: Method<string> = unary(rpc.putTags, () => ({ tags: JSON.parse(long) }));
    const large = frontDoor(shelfTranscoder({ methods: [largeTags] }));
    const text = JSON.stringify(["x".repeat(1100)]);
    const larger = frontDoor(
      shelfTranscoder({ methods: [unary(rpc.putTags, () => ({ tags: JSON.parse(text) }))] }),
    );

    test.each(["gzip", "br", "zstd"] as const)("%s, if it is asked for", async (coding) => {
      const reply = await once(larger, "PUT", "/v1/books/1/tags", {
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

    test("none, if none is asked for; but the answer would have been another", async () => {
      const reply = await once(larger, "PUT", "/v1/books/1/tags");
      expect(reply.body).toBe(text);
      expect(reply.headers["content-encoding"]).toBeUndefined();
      expect(reply.headers.vary).toBe("accept-encoding");
    });

    test("none below a kilobyte", async () => {
      expect(Buffer.byteLength(long)).toBeLessThan(1024);
      const reply = await once(large, "PUT", "/v1/books/1/tags", {
        headers: { "accept-encoding": "gzip" },
      });
      expect(reply.body).toBe(long);
      expect(reply.headers.vary).toBeUndefined();
    });

    test("what varies already goes on to", async () => {
      const varying: Listener = (request, response) => {
        response.setHeader("vary", "origin");
        larger(request, response);
      };
      const reply = await once(varying, "PUT", "/v1/books/1/tags");
      expect(reply.headers.vary).toBe("origin, accept-encoding");
    });

    test("an error is never coded", async () => {
      const reply = await once(listener, "GET", "/v1/nothing", {
        headers: { "accept-encoding": "gzip" },
      });
      expect(reply.headers["content-encoding"]).toBeUndefined();
    });
  });

  describe("a large answer", () => {
    const books = Array.from({ length: 500 }, (__, index) => ({ title: `Book ${index} €` }));
    test("comes whole, with its length in bytes", async () => {
      const listener = frontDoor(
        shelfTranscoder({ methods: [unary(rpc.listBooks, () => ({ books }) as never)] }),
      );
      const reply = await once(listener, "GET", "/v1/books");
      expect(JSON.parse(reply.body).books.map(({ title }: { title: string }) => title)).toEqual(
        books.map(({ title }) => title),
      );
      expect(reply.headers["content-length"]).toBe(`${reply.bytes.length}`);
    });

    test("that is frozen is written once", async () => {
      const answer = Object.freeze(create(ListBooksResponseSchema, { books: books as never }));
      const method: Method<string> = {
        kind: "unary",
        desc: rpc.listBooks,
        authorize: () => {},
        invoke: () => Promise.resolve(answer),
      };
      const listener = frontDoor(shelfTranscoder({ methods: [method] }));
      const before = await once(listener, "GET", "/v1/books", {
        headers: { "accept-encoding": "gzip" },
      });
      // Nobody would do that: it shows that what was written is what is sent.
      answer.books.length = 0;
      const after = await once(listener, "GET", "/v1/books", {
        headers: { "accept-encoding": "gzip" },
      });
      expect(after.bytes.equals(before.bytes)).toBe(true);
      expect((await once(listener, "GET", "/v1/books")).body).toBe(
        gunzipSync(before.bytes).toString(),
      );
    });
  });

  describe("conditional reads", () => {
    const tagged = (
      set: Record<string, string>,
      options: Partial<TranscoderOptions<string>> = {},
    ) => {
      const count = (
        __: unknown,
        call: { responseHeaders?: { set(name: string, value: string): void } },
      ) => {
        for (const [name, value] of Object.entries(set)) call.responseHeaders?.set(name, value);
      };
      return frontDoor(
        createTranscoder({
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
          json: httpJson,
          maxBodyBytes: 1000,
          ...options,
        }),
      );
    };

    test("200 with the tag, kept by the client alone", async () => {
      const reply = await once(tagged({ ETag: '"7"' }), "GET", "/v1/books:count", {
        headers: { "if-none-match": '"6"' },
      });
      expect(reply).toMatchObject({ status: 200, body: "5" });
      expect(reply.headers).toMatchObject({ etag: '"7"', "cache-control": "private, no-cache" });
    });

    test.each(["GET", "HEAD"])("304 for %s when the client has it", async (method) => {
      const headers = { "if-none-match": 'W/"6", "7"' };
      const reply = await once(
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
    });

    test("a tag is weak where the content is coded, and known again", async () => {
      const listener = tagged({ etag: '"7"' });
      const headers = { "accept-encoding": "br" };
      const reply = await once(listener, "GET", "/v1/files/x", { headers });
      expect(reply.headers).toMatchObject({
        etag: 'W/"7"',
        "content-encoding": "br",
        vary: "accept-encoding",
      });
      const again = await once(listener, "GET", "/v1/files/x", {
        headers: { ...headers, "if-none-match": 'W/"7"' },
      });
      expect(again.status).toBe(304);
      expect(again.headers).toMatchObject({ etag: 'W/"7"', vary: "accept-encoding" });
    });

    test("a change is no read: it is answered whole", async () => {
      const headers = { "if-none-match": '"7"' };
      expect(
        (await once(tagged({ etag: '"7"' }), "PUT", "/v1/books/1/tags", { headers })).status,
      ).toBe(200);
    });

    test("without a tag nothing is kept, errors included, unless somebody knows better", async () => {
      const plain = tagged({});
      expect((await once(plain, "GET", "/v1/books:count")).headers["cache-control"]).toBe(
        "no-store",
      );
      expect((await once(plain, "GET", "/v1/nothing")).headers["cache-control"]).toBe("no-store");
      expect(
        (await once(plain, "PUT", "/v1/books/1/tags")).headers["cache-control"],
      ).toBeUndefined();
      const own = tagged({ "Cache-Control": "max-age=5" });
      expect((await once(own, "GET", "/v1/books:count")).headers["cache-control"]).toBe(
        "max-age=5",
      );
      const policy = tagged({}, { policy: () => ({ headers: { "cache-control": "max-age=6" } }) });
      expect((await once(policy, "GET", "/v1/books:count")).headers["cache-control"]).toBe(
        "max-age=6",
      );
      const door: Listener = (request, response) => {
        response.setHeader("cache-control", "max-age=7");
        plain(request, response);
      };
      expect((await once(door, "GET", "/v1/books:count")).headers["cache-control"]).toBe(
        "max-age=7",
      );
    });
  });
});
