import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type Client, errorBody, protocols, sendOnce } from "./support/clients.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const json = (name: string, copies = "9007199254740993", title = "", rating = "") =>
  `{"name":"${name}","title":"${title}","copies":${copies},${rating}"tags":[]}`;

const second = "/v1/shelves/1/books/2";

describe.each(protocols)("%s", (_, serve) => {
  let client: Client;
  beforeAll(async () => {
    client = await serve(frontDoor(shelfTranscoder()));
  });
  afterAll(() => client.close());

  describe("200", () => {
    test.each([
      ["GET", second, json("shelves/1/books/2")],
      ["GET", "/v1/shelves/a%20b/books/%E2%82%AC", json("shelves/a b/books/€")],
      // A variable of several segments keeps an encoded slash.
      ["GET", "/v1/shelves/1/books/2%2f3%2F4", json("shelves/1/books/2%2f3%2F4")],
      ["GET", "/v1/books/18446744073709551615", json("isbn/18446744073709551615")],
      // A repeated response body is an array, and a scalar one a plain value.
      ["GET", "/v1/shelves/1/books", `[${json("shelves/1/books/1", "0")}]`],
      ["GET", "/v1/books", `{"books":[${json("/books/1", "0")}],"nextPageToken":""}`],
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
      ["POST", "/v1/shelves/1/books", '{"title":"Kim"}', json("shelves/1/books/9", "0", "Kim")],
      ["PATCH", second, '{"rating":5.0}', json("shelves/1/books/2", "0", "", '"rating":5,')],
      ["PATCH", second, '{"name":"shelves/1/books/2"}', json("shelves/1/books/2", "0")],
      [
        "POST",
        "/v1/shelves/1/books/2:lend",
        '{"reader":"Ann","period":"3.5s","email":"a@b"}',
        '{"loan":"shelves/1/books/2 Ann 3 a@b"}',
      ],
      ["PUT", "/v1/books/1/tags", '["a","b"]', '["a","b"]'],
      ["POST", `${second}:lend`, "", '{"loan":"shelves/1/books/2   "}'],
    ])("%s %s %s", async (method, target, body, expected) => {
      expect(await client.send(method, target, { body })).toMatchObject({
        status: 200,
        body: expected,
      });
    });

    test("a body in chunks, and a body after 100 Continue", async () => {
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

    test("an empty body of unknown length counts as no body", async () => {
      expect(await client.send("GET", "/v1/books:count", { body: [] })).toMatchObject({
        status: 200,
      });
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

    test("HEAD has the headers of GET and no body", async () => {
      const get = await client.send("GET", "/v1/books:count");
      const head = await client.send("HEAD", "/v1/books:count");
      expect(head).toMatchObject({ status: 200, body: "" });
      expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
    });

    test("a rule for HEAD", async () => {
      expect(await client.send("HEAD", "/v1/probe/x")).toMatchObject({ status: 200, body: "" });
    });
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

  test("the error and the headers of a policy", async () => {
    const gone = {
      status: 410,
      reason: "ENDED",
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
    const reply = await sendOnce(serve, listener, "PUT", "/v1/books/1/tags", {
      body: "x".repeat(2000),
    });
    expect(reply).toMatchObject({ status: 410, body: errorBody(410, "gone", "use /v1/books") });
    expect(reply.headers).toMatchObject({
      sunset: "today",
      "x-more": "1",
      "x-error-reason": "ENDED",
    });
    expect((await sendOnce(serve, listener, "GET", "/v1/books:count")).headers).toMatchObject({
      sunset: "never",
    });
    expect((await sendOnce(serve, listener, "GET", "/v1/books/x")).headers).toMatchObject({
      sunset: "never",
    });
    const refusing = frontDoor(transcoder, new ConnectError("who?", Code.Unauthenticated));
    const refused = await sendOnce(serve, refusing, "GET", "/v1/books:count");
    expect(refused).toMatchObject({ status: 401, body: errorBody(401, "unauthenticated", "who?") });
    expect(refused.headers).toMatchObject({ sunset: "never", "x-error-reason": "UNAUTHENTICATED" });
    const nowhere = await sendOnce(serve, refusing, "GET", "/v1/nothing");
    expect(nowhere.status).toBe(401);
    expect(nowhere.headers.sunset).toBeUndefined();
  });

  test("the connection stays open after every kind of error", async () => {
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
