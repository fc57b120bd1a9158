import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handleFor } from "../../../../test/support/endpoint.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { type Client, errorBody, type Listener, protocols, sendOnce } from "./support/clients.ts";
import { unary } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;

describe.each(protocols)("%s", (_, serve) => {
  let client: Client;
  beforeAll(async () => {
    client = await serve(frontDoor(shelfTranscoder()));
  });
  afterAll(() => client.close());

  test("500 for a header that cannot be sent, which is one fault", async () => {
    const faults: unknown[] = [];
    const transcoder = shelfTranscoder({
      policy: () => ({ headers: { "no name": "x" } }),
      onFault: (error) => faults.push(error),
    });
    const { status } = await sendOnce(serve, frontDoor(transcoder), "GET", "/v1/books:count");
    expect(status).toBe(500);
    expect(faults).toMatchObject([{ code: "ERR_INVALID_HTTP_TOKEN" }]);

    const broken = shelfTranscoder({ policy: () => ({ headers: { "no name": "x" } }) });
    let handled: unknown;
    const listener: Listener = (exchange) => {
      handled = handleFor("me", broken, exchange);
    };
    expect(await sendOnce(serve, listener, "GET", "/v1/books:count")).toMatchObject({
      status: 500,
    });
    await handled;
  });

  test("an error has the headers that the method has set, except for those of a body", async () => {
    const failing = unary(rpc.countBooks, (_, { responseHeader }) => {
      responseHeader.set("x-note", "a");
      responseHeader.set("ETag", '"1"');
      responseHeader.set("content-type", "text/csv");
      responseHeader.set("cache-control", "public");
      throw new ConnectError("no", Code.NotFound);
    });
    const door = frontDoor(shelfTranscoder({ methods: [failing] }));
    const { status, headers } = await sendOnce(serve, door, "GET", "/v1/books:count");
    expect(status).toBe(404);
    expect(headers).toMatchObject({
      "x-note": "a",
      "content-type": "application/json",
      "cache-control": "no-store",
    });
    expect(headers).not.toHaveProperty("etag");
  });

  test("503 with the headers of the error", async () => {
    const busy = new ConnectError("try again", Code.Unavailable, { "Retry-After": "3" });
    const transcoder = shelfTranscoder({
      methods: [unary(rpc.countBooks, () => Promise.reject(busy))],
    });
    const reply = await sendOnce(serve, frontDoor(transcoder), "GET", "/v1/books:count");
    expect(reply).toMatchObject({ status: 503, body: errorBody(503, "unavailable", "try again") });
    expect(reply.headers).toMatchObject({ "retry-after": "3", "content-type": "application/json" });
  });

  describe("413", () => {
    const body = errorBody(
      413,
      "payload_too_large",
      "The request body must not be larger than 1000 bytes.",
    );
    test("by the declared length", async () => {
      expect(
        await client.send("PUT", "/v1/books/1/tags", { body: "x".repeat(1001) }),
      ).toMatchObject({ status: 413, body });
    });
    test("by the received length", async () => {
      const chunks = ["x".repeat(600), "x".repeat(600)];
      expect(await client.send("PUT", "/v1/books/1/tags", { body: chunks })).toMatchObject({
        status: 413,
        body,
      });
    });
    test("for one byte too many", async () => {
      const chunks = ['["', "x".repeat(996), '"]'];
      expect(await client.send("PUT", "/v1/books/1/tags", { body: chunks })).toMatchObject({
        status: 200,
      });
      expect(
        await client.send("PUT", "/v1/books/1/tags", { body: [...chunks, " "] }),
      ).toMatchObject({ status: 413, body });
    });
    test("the largest allowed body is read", async () => {
      const largest = `["${"x".repeat(996)}"]`;
      expect(await client.send("PUT", "/v1/books/1/tags", { body: largest })).toMatchObject({
        status: 200,
        body: largest,
      });
    });
  });

  describe("415", () => {
    test.each([
      ["PATCH", "/v1/shelves/1/books/2", "text/plain"],
      ["PATCH", "/v1/shelves/1/books/2", "application/json; charset=latin1"],
      ["PATCH", "/v1/shelves/1/books/2", "json"],
      ["PUT", "/v1/books/1/tags", "application/merge-patch+json"],
      ["PUT", "/v1/books/1/tags", "json"],
    ])("%s %s %s", async (method, target, type) => {
      const reply = await client.send(method, target, {
        body: "x".repeat(2000),
        headers: { "content-type": type },
      });
      const [message, headers] =
        method === "PATCH"
          ? [
              "The request body must be application/json or application/merge-patch+json in UTF-8.",
              { "accept-patch": "application/json, application/merge-patch+json" },
            ]
          : ["The request body must be application/json in UTF-8.", { accept: "application/json" }];
      const body = errorBody(415, "unsupported_media_type", message);
      expect(reply).toMatchObject({ status: 415, body, headers });
    });
  });

  test("500 without its cause, which is passed to onFault", async () => {
    const cause = new TypeError("secret");
    const faults: unknown[] = [];
    const transcoder = shelfTranscoder({
      methods: [unary(rpc.countBooks, () => Promise.reject(cause))],
      onFault: (error) => faults.push(error),
    });
    const reply = await sendOnce(serve, frontDoor(transcoder), "GET", "/v1/books:count");
    expect(reply).toMatchObject({
      status: 500,
      body: errorBody(500, "internal", "Internal error. The server log has the details."),
    });
    expect(faults).toEqual([cause]);
  });
});
