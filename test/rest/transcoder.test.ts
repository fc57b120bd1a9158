import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { ShelfService } from "./gen/shelf/v1/shelf_pb.ts";
import { type Client, type Listener, protocols, type RequestInit } from "./support/clients.ts";
import { unary } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;

function errorBody(status: number, code: string, message: string): string {
  return JSON.stringify({ code, message, status });
}

describe.each(protocols)("%s", (_, serve) => {
  let client: Client;
  beforeAll(async () => {
    client = await serve(frontDoor(shelfTranscoder()));
  });
  afterAll(() => client.close());

  /** Serves one request by a server of its own. */
  async function once(listener: Listener, method: string, target: string, init?: RequestInit) {
    const own = await serve(listener);
    try {
      return await own.send(method, target, init);
    } finally {
      await own.close();
    }
  }

  describe("200", () => {
    test.each([
      [
        "GET",
        "/v1/shelves/1/books/2",
        '{"name":"shelves/1/books/2","title":"","copies":9007199254740993,"tags":[]}',
      ],
      [
        "GET",
        "/v1/shelves/a%20b/books/%E2%82%AC",
        '{"name":"shelves/a b/books/€","title":"","copies":9007199254740993,"tags":[]}',
      ],
      // A variable of several segments keeps an encoded slash as it was.
      [
        "GET",
        "/v1/shelves/1/books/2%2f3%2F4",
        '{"name":"shelves/1/books/2%2f3%2F4","title":"","copies":9007199254740993,"tags":[]}',
      ],
      [
        "GET",
        "/v1/books/18446744073709551615",
        '{"name":"isbn/18446744073709551615","title":"","copies":9007199254740993,"tags":[]}',
      ],
      // A repeated response body is a bare array, a scalar one a bare value.
      [
        "GET",
        "/v1/shelves/1/books",
        '[{"name":"shelves/1/books/1","title":"","copies":0,"tags":[]}]',
      ],
      [
        "GET",
        "/v1/books",
        '{"books":[{"name":"/books/1","title":"","copies":0,"tags":[]}],"nextPageToken":""}',
      ],
      ["GET", "/v1/books:count", "9223372036854775807"],
      ["GET", "/v1/files/a/b%2Fc/../d", '"a/b%2Fc/../d"'],
      ["GET", "/v1/files", '""'],
      ["PROPFIND", "/v1/any/pot", '{"name":"pot"}'],
      ["GET", "/v1/echo", "null"],
    ])("%s %s", async (method, target, body) => {
      const reply = await client.send(method, target);
      expect(reply).toMatchObject({ status: 200, body });
      expect(reply.headers).toMatchObject({
        "content-type": "application/json",
        "content-length": `${Buffer.byteLength(body)}`,
        "x-ratelimit-limit": "60",
      });
    });

    test.each([
      [
        "POST",
        "/v1/shelves/1/books",
        '{"title":"Kim"}',
        '{"name":"shelves/1/books/9","title":"Kim","copies":0,"tags":[]}',
      ],
      [
        "PATCH",
        "/v1/shelves/1/books/2",
        '{"rating":5.0}',
        '{"name":"shelves/1/books/2","title":"","copies":0,"rating":5,"tags":[]}',
      ],
      [
        "PATCH",
        "/v1/shelves/1/books/2",
        '{"name":"shelves/1/books/2"}',
        '{"name":"shelves/1/books/2","title":"","copies":0,"tags":[]}',
      ],
      [
        "POST",
        "/v1/shelves/1/books/2:lend",
        '{"reader":"Ann","period":"3.5s","email":"a@b"}',
        '{"loan":"shelves/1/books/2 Ann 3 a@b"}',
      ],
      ["PUT", "/v1/books/1/tags", '["a","b"]', '["a","b"]'],
      ["POST", "/v1/shelves/1/books/2:lend", "", '{"loan":"shelves/1/books/2   "}'],
    ])("%s %s %s", async (method, target, body, expected) => {
      expect(await client.send(method, target, { body })).toMatchObject({
        status: 200,
        body: expected,
      });
    });

    test("a body in chunks, and one that comes only when it is asked for", async () => {
      const body = ['["a"', ',"b"]'];
      expect(await client.send("PUT", "/v1/books/1/tags", { body })).toMatchObject({
        status: 200,
        body: '["a","b"]',
      });
      const headers = { expect: "100-continue" };
      expect(
        await client.send("PUT", "/v1/books/1/tags", { body: '["c"]', headers }),
      ).toMatchObject({ status: 200, body: '["c"]' });
    });

    test.each([
      "application/json",
      "application/merge-patch+json",
      'APPLICATION/JSON; a=b; charset="UTF-8"',
      "application/json;charset=utf-8",
    ])("%s is a media type for PATCH", async (type) => {
      const init = { body: '{"title":"x"}', headers: { "content-type": type } };
      expect(await client.send("PATCH", "/v1/shelves/1/books/2", init)).toMatchObject({
        status: 200,
      });
    });

    test("HEAD has the header fields of GET and no body", async () => {
      const get = await client.send("GET", "/v1/books:count");
      const head = await client.send("HEAD", "/v1/books:count");
      expect(head).toMatchObject({ status: 200, body: "" });
      expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
    });

    test("a rule of its own for HEAD", async () => {
      expect(await client.send("HEAD", "/v1/probe/x")).toMatchObject({ status: 200, body: "" });
    });
  });

  test("what is in a header field that can't be sent ends the answer, not the server", async () => {
    const faults: unknown[] = [];
    const transcoder = shelfTranscoder({
      policy: () => ({ headers: { "no name": "x" } }),
      onFault: (error) => faults.push(error),
    });
    await expect(once(frontDoor(transcoder), "GET", "/v1/books:count")).rejects.toThrow();
    const invalid = { code: "ERR_INVALID_HTTP_TOKEN" };
    expect(faults).toMatchObject([invalid, invalid]);
  });

  test("204 with Allow for OPTIONS", async () => {
    const reply = await client.send("OPTIONS", "/v1/shelves/1/books/2");
    expect(reply).toMatchObject({ status: 204, body: "" });
    expect(reply.headers.allow).toBe("GET, HEAD, OPTIONS, PATCH");
    expect(reply.headers["accept-patch"]).toBe("application/json, application/merge-patch+json");
    const books = await client.send("OPTIONS", "/v1/books");
    expect(books.headers.allow).toBe("GET, HEAD, OPTIONS");
    expect(books.headers["accept-patch"]).toBeUndefined();
  });

  describe("400", () => {
    test.each([
      [
        "GET",
        "/v1/books/%zz",
        undefined,
        "isbn: is not valid percent-encoding; write % itself as %25",
      ],
      ["GET", "/v1/files/%ff", undefined, "path: is not UTF-8 when percent-decoded"],
      ["GET", "/v1/files/%C0%AF", undefined, "path: is not UTF-8 when percent-decoded"],
      ["GET", "/v1/files/%00", undefined, "path: has a NUL character"],
      [
        "GET",
        "/v1/books/01",
        undefined,
        "isbn: must be an integer from 0 to 18446744073709551615 in plain decimal",
      ],
      ["GET", "/v1/books?colour=red", undefined, "colour: no such query parameter"],
      [
        "GET",
        "/v1/books/1?isbn=1",
        undefined,
        "isbn: given in the path already; leave it out of the query",
      ],
      ["GET", "/v1/books/1", "{}", "request body: is not used here; send none"],
      [
        "PUT",
        "/v1/books/1/tags",
        "[",
        "request body: not valid JSON: expected a value, found the end at line 1, column 2",
      ],
      ["PUT", "/v1/books/1/tags", "{}", "request body: must be a JSON array"],
      ["PUT", "/v1/books/1/tags", '["a",5]', "[1]: must be a string"],
      ["PATCH", "/v1/shelves/1/books/2", '{"title":5}', "title: must be a string"],
      [
        "PATCH",
        "/v1/shelves/1/books/2",
        '{"name":"shelves/1/books/3"}',
        "name: differs from its value in the path; leave it out",
      ],
      [
        "PATCH",
        "/v1/shelves/1/books/2?book.title=x",
        "{}",
        "book.title: belongs in the request body, not in the query",
      ],
      [
        "POST",
        "/v1/shelves/1/books/2:lend?reader=x",
        "{}",
        "reader: belongs in the request body, not in the query",
      ],
      [
        "POST",
        "/v1/shelves/1/books/2:lend",
        '{"email":"a","phone":"b"}',
        "phone: only one of email, phone may be given",
      ],
    ])("%s %s %s", async (method, target, body, message) => {
      const reply = await client.send(method, target, body === undefined ? {} : { body });
      expect(reply).toMatchObject({
        status: 400,
        body: errorBody(400, "invalid_argument", message),
      });
      expect(reply.headers).toMatchObject({
        "content-type": "application/json",
        "x-ratelimit-limit": "60",
      });
    });

    test("violations of a service's rules are told in the client's terms", async () => {
      const fieldViolations = [
        { field: "book.rating", description: "must be at least 0" },
        { field: "book.author.given_name", description: "is required" },
        { field: "book", description: "is required" },
        { field: "update_mask", description: "is empty" },
        { field: "books[3].no_such", description: "is odd" },
      ];
      const detail = {
        desc: BadRequestSchema,
        value: create(BadRequestSchema, { fieldViolations }),
      };
      const fussy = unary(rpc.updateBook, () => {
        throw new ConnectError("private", Code.InvalidArgument, undefined, [detail]);
      });
      const listener = frontDoor(shelfTranscoder({ methods: [fussy] }));
      const reply = await once(listener, "PATCH", "/v1/shelves/1/books/2", { body: "{}" });
      const message =
        "rating: must be at least 0; author.givenName: is required; request body: is required; " +
        "updateMask: is empty; books[3].no_such: is odd";
      expect(reply).toMatchObject({
        status: 400,
        body: errorBody(400, "invalid_argument", message),
      });
    });
  });

  test("403 before anything of the body is looked at", async () => {
    const init = {
      body: "x".repeat(2000),
      headers: { "x-caller": "stranger", "content-type": "text/plain" },
    };
    const reply = await client.send("PUT", "/v1/books/1/tags", init);
    expect(reply).toMatchObject({
      status: 403,
      body: errorBody(403, "permission_denied", "you may not"),
    });
  });

  describe("404", () => {
    test.each(["/", "/v1", "/v2/books", "/v1/books/", "/v1//books", "/v1/books/1/2", "/v1/Books"])(
      "%s",
      async (target) => {
        const reply = await client.send("GET", target);
        expect(reply).toMatchObject({
          status: 404,
          body: errorBody(404, "not_found", "there is nothing at this path"),
        });
      },
    );

    test("what the service does not find", async () => {
      const reply = await client.send("GET", "/v1/shelves/0/books/0");
      expect(reply).toMatchObject({
        status: 404,
        body: errorBody(404, "not_found", "no such book"),
      });
    });

    test("HEAD has no body", async () => {
      expect(await client.send("HEAD", "/v1/nothing")).toMatchObject({ status: 404, body: "" });
    });
  });

  test("405 with Allow", async () => {
    const reply = await client.send("DELETE", "/v1/shelves/1/books");
    const message = "this path does not answer that method; use one of GET, HEAD, OPTIONS, POST";
    expect(reply).toMatchObject({
      status: 405,
      body: errorBody(405, "method_not_allowed", message),
    });
    expect(reply.headers.allow).toBe("GET, HEAD, OPTIONS, POST");
  });

  test("410 when the policy has it, with the policy's header fields", async () => {
    const gone = {
      status: 410,
      code: "gone",
      message: "use /v1/books",
      headers: { "x-more": "1" },
    };
    const transcoder = shelfTranscoder({
      policy: (method) =>
        method.name === "PutTags"
          ? { headers: { sunset: "today" }, refusal: gone }
          : { headers: { sunset: "never" } },
    });
    const listener = frontDoor(transcoder);
    const reply = await once(listener, "PUT", "/v1/books/1/tags", { body: "x".repeat(2000) });
    expect(reply).toMatchObject({ status: 410, body: errorBody(410, "gone", "use /v1/books") });
    expect(reply.headers).toMatchObject({ sunset: "today", "x-more": "1" });
    expect((await once(listener, "GET", "/v1/books:count")).headers).toMatchObject({
      sunset: "never",
    });
    expect((await once(listener, "GET", "/v1/books/x")).headers).toMatchObject({ sunset: "never" });
    const refusing = frontDoor(transcoder, {
      status: 401,
      code: "unauthenticated",
      message: "who?",
    });
    const refused = await once(refusing, "GET", "/v1/books:count");
    expect(refused).toMatchObject({ status: 401, body: errorBody(401, "unauthenticated", "who?") });
    expect(refused.headers).toMatchObject({ sunset: "never" });
    const nowhere = await once(refusing, "GET", "/v1/nothing");
    expect(nowhere.status).toBe(401);
    expect(nowhere.headers.sunset).toBeUndefined();
  });

  test("503 with the header fields that the error brings along", async () => {
    const busy = new ConnectError("try again", Code.Unavailable, { "Retry-After": "3" });
    const transcoder = shelfTranscoder({
      methods: [unary(rpc.countBooks, () => Promise.reject(busy))],
    });
    const reply = await once(frontDoor(transcoder), "GET", "/v1/books:count");
    expect(reply).toMatchObject({ status: 503, body: errorBody(503, "unavailable", "try again") });
    expect(reply.headers).toMatchObject({ "retry-after": "3", "content-type": "application/json" });
  });

  describe("413", () => {
    const body = errorBody(413, "payload_too_large", "the request body is larger than 1000 bytes");
    test("by the length that is declared", async () => {
      expect(
        await client.send("PUT", "/v1/books/1/tags", { body: "x".repeat(1001) }),
      ).toMatchObject({ status: 413, body });
    });
    test("by the length that comes", async () => {
      const chunks = ["x".repeat(600), "x".repeat(600)];
      expect(await client.send("PUT", "/v1/books/1/tags", { body: chunks })).toMatchObject({
        status: 413,
        body,
      });
    });
    test("by a single byte", async () => {
      const chunks = ['["', "x".repeat(996), '"]'];
      expect(await client.send("PUT", "/v1/books/1/tags", { body: chunks })).toMatchObject({
        status: 200,
      });
      expect(
        await client.send("PUT", "/v1/books/1/tags", { body: [...chunks, " "] }),
      ).toMatchObject({ status: 413, body });
    });
    test("the largest body that is allowed is read", async () => {
      const largest = `["${"x".repeat(996)}"]`;
      expect(await client.send("PUT", "/v1/books/1/tags", { body: largest })).toMatchObject({
        status: 200,
        body: largest,
      });
    });
  });

  describe("415", () => {
    test.each([
      [
        "PATCH",
        "/v1/shelves/1/books/2",
        "text/plain",
        { "accept-patch": "application/json, application/merge-patch+json" },
      ],
      [
        "PATCH",
        "/v1/shelves/1/books/2",
        "application/json; charset=latin1",
        { "accept-patch": "application/json, application/merge-patch+json" },
      ],
      ["PUT", "/v1/books/1/tags", "application/merge-patch+json", { accept: "application/json" }],
      ["PUT", "/v1/books/1/tags", "json", { accept: "application/json" }],
    ])("%s %s %s", async (method, target, type, headers) => {
      const reply = await client.send(method, target, {
        body: "x".repeat(2000),
        headers: { "content-type": type },
      });
      expect(reply.status).toBe(415);
      expect(JSON.parse(reply.body)).toMatchObject({ code: "unsupported_media_type", status: 415 });
      expect(reply.headers).toMatchObject(headers);
    });
  });

  test("500 that says nothing of its cause, which onFault is told", async () => {
    const cause = new TypeError("secret");
    const faults: unknown[] = [];
    const transcoder = shelfTranscoder({
      methods: [unary(rpc.countBooks, () => Promise.reject(cause))],
      onFault: (error, method) => faults.push(error, method?.name),
    });
    const reply = await once(frontDoor(transcoder), "GET", "/v1/books:count");
    expect(reply).toMatchObject({
      status: 500,
      body: errorBody(500, "internal", "internal error"),
    });
    expect(faults).toEqual([cause, "CountBooks"]);
  });

  test("the connection serves on after every kind of refusal", async () => {
    const large = "x".repeat(100_000);
    for (let round = 0; round < 10; round++) {
      const refused: Record<string, string>[] = [
        {},
        { "x-caller": "stranger" },
        { "content-type": "text/plain" },
      ];
      for (const headers of refused) {
        await client.send("PUT", "/v1/books/1/tags", { body: large, headers });
        await client.send("PUT", "/v1/nothing", { body: large, headers });
      }
    }
    expect(await client.send("GET", "/v1/books:count")).toMatchObject({ status: 200 });
  });
});
