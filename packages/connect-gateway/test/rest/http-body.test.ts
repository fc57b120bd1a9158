import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { protocols, type RequestInit, sendOnce } from "./support/clients.ts";
import { streaming, unary, withRule } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;
const image = Uint8Array.of(0xff, 0xd8, 0x00, 0x22, 0xc0);

describe.each(protocols)("%s: google.api.HttpBody", (_, serve) => {
  async function put(init: RequestInit, returned?: { contentType: string; data: Uint8Array }) {
    const received: unknown[] = [];
    const upload = unary(rpc.upload, ({ isbn, cover, note }) => {
      received.push({
        isbn,
        contentType: cover?.contentType,
        data: cover && [...cover.data],
        note,
      });
      return { cover: returned };
    });
    const listener = frontDoor(shelfTranscoder({ methods: [upload] }));
    const reply = await sendOnce(serve, listener, "PUT", "/v1/covers/7?note=x", init);
    return { reply, received: received[0] };
  }

  test("a request of any media type is read unchanged", async () => {
    const { reply, received } = await put({
      body: image,
      headers: { "content-type": "image/jpeg; q=1" },
    });
    expect(reply.status).toBe(200);
    expect(received).toEqual({
      isbn: 7n,
      contentType: "image/jpeg; q=1",
      data: [...image],
      note: "x",
    });
  });

  test("a request without a type or body leaves the fields empty", async () => {
    expect((await put({ body: image })).received).toMatchObject({ contentType: "" });
    expect((await put({})).received).toEqual({
      isbn: 7n,
      contentType: undefined,
      data: undefined,
      note: "x",
    });
  });

  test("a request is decompressed, and its size is limited", async () => {
    const headers = { "content-encoding": "gzip", "content-type": "a/b" };
    expect((await put({ body: gzipSync(image), headers })).received).toMatchObject({
      data: [...image],
    });
    expect((await put({ body: new Uint8Array(1001) })).reply.status).toBe(413);
  });

  test("a response is sent unchanged, with its own type", async () => {
    const { reply } = await put({}, { contentType: "image/jpeg", data: image });
    expect([...reply.bytes]).toEqual([...image]);
    expect(reply.headers).toMatchObject({ "content-type": "image/jpeg", "content-length": "5" });
  });

  test("a response without a type is application/octet-stream, and an unset one is empty", async () => {
    const untyped = await put({}, { contentType: "", data: image });
    expect(untyped.reply.headers["content-type"]).toBe("application/octet-stream");
    const unset = await put({});
    expect(unset.reply).toMatchObject({ status: 200, body: "" });
    expect(unset.reply.headers["content-length"]).toBe("0");
  });

  test.each([
    ["text/csv", 1024, "gzip"],
    ["text/csv", 1023, undefined],
    ["application/json", 1024, "gzip"],
    ["application/geo+json; a=b", 1024, "gzip"],
    ["application/x; a=+json", 1024, undefined],
    ["image/jpeg", 1024, undefined],
    ['multipart/related; type="text/html"', 1024, undefined],
  ])("%s of %i bytes is compressed: %s", async (type, size, coding) => {
    const returned = { contentType: type, data: new Uint8Array(size).fill(0x20) };
    const { reply } = await put({ headers: { "accept-encoding": "gzip" } }, returned);
    expect(reply.headers["content-encoding"]).toBe(coding);
    const bytes = coding ? gunzipSync(reply.bytes) : reply.bytes;
    expect(bytes.equals(returned.data)).toBe(true);
  });

  test("is JSON when the field is repeated", async () => {
    const pages = { ...rpc.upload, input: rpc.upload.output };
    const rule = { pattern: { case: "post", value: "/pages" }, body: "pages" } as const;
    const method = unary(withRule(pages, { ...rule, responseBody: "pages" }), (request) => request);
    const listener = frontDoor(shelfTranscoder({ methods: [method] }));
    const body = '[{"contentType":"text/plain","data":"aGk=","extensions":[]}]';
    expect(await sendOnce(serve, listener, "POST", "/pages", { body })).toMatchObject({
      status: 200,
      body,
    });
    const headers = { "content-type": "text/plain" };
    expect((await sendOnce(serve, listener, "POST", "/pages", { body, headers })).status).toBe(415);
  });

  test("can be the whole request", async () => {
    const whole = {
      ...rpc.upload,
      input: rpc.upload.input.fields[1]?.message ?? rpc.upload.input,
    } as never;
    const method = unary(
      withRule(whole, { pattern: { case: "post", value: "/raw" }, body: "*" }),
      (request) => {
        const { contentType, data } = request as unknown as {
          contentType: string;
          data: Uint8Array;
        };
        return { cover: { contentType, data } } as never;
      },
    );
    const listener = frontDoor(shelfTranscoder({ methods: [method] }));
    const reply = await sendOnce(serve, listener, "POST", "/raw", {
      body: "hi",
      headers: { "content-type": "text/plain" },
    });
    expect(reply).toMatchObject({
      status: 200,
      body: JSON.stringify({
        cover: { contentType: "text/plain", data: "aGk=", extensions: [] },
        pages: [],
      }),
    });
  });

  describe("in a stream", () => {
    async function exported(...pieces: (string | Error)[]) {
      const method = streaming(rpc.export, async function* () {
        for (const piece of pieces) {
          if (piece instanceof Error) throw piece;
          yield { contentType: `text/${piece}`, data: Buffer.from(piece) };
        }
      });
      const faults: unknown[] = [];
      const transcoder = shelfTranscoder({
        methods: [method],
        onFault: (error) => faults.push(error),
      });
      const replied = sendOnce(serve, frontDoor(transcoder), "GET", "/v1/export");
      return { reply: await replied.catch(() => "broken off"), faults };
    }

    test("is one body with the type of the first message", async () => {
      const { reply } = await exported("a", "b", "c");
      expect(reply).toMatchObject({
        status: 200,
        body: "abc",
        headers: { "content-type": "text/a" },
      });
      // Accept has no effect.
      expect(reply).not.toHaveProperty("headers.vary");
    });

    test("without messages is an empty body without a type", async () => {
      const { reply } = await exported();
      expect(reply).toMatchObject({ status: 200, body: "" });
      expect(reply).not.toHaveProperty(["headers", "content-type"]);
    });

    test("is broken off by an error, because the body has no place for it", async () => {
      const fault = new Error("secret");
      expect(await exported("a", fault)).toEqual({ reply: "broken off", faults: [fault] });
    });
  });
});
