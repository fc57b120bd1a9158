import { create, type DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { type Client, errorBody, protocols, sendOnce } from "./support/clients.ts";
import { unary } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;

describe.each(protocols)("%s", (_, serve) => {
  let client: Client;
  beforeAll(async () => {
    client = await serve(frontDoor(shelfTranscoder()));
  });
  afterAll(() => client.close());

  describe("400", () => {
    test.each([
      [
        "GET",
        "/v1/books/%zz",
        undefined,
        "isbn: has invalid percent-encoding; encode % itself as %25",
      ],
      ["GET", "/v1/books?colour=red", undefined, "colour: unknown query parameter"],
      ["GET", "/v1/books/1", "{}", "request body: must be empty: this operation takes no body"],
      ["PUT", "/v1/books/1/tags", '["a",5]', "[1]: must be a string"],
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

    test.each<[string, string, string | undefined, Record<string, string>]>([
      [
        "PATCH",
        "/v1/shelves/1/books/2",
        "{}",
        {
          "book.rating": "rating",
          "book.author.given_name": "author.givenName",
          book: "request body",
          update_mask: "updateMask",
          "books[3].no_such": "books[3].no_such",
        },
      ],
      [
        "POST",
        "/v1/echo",
        "{}",
        { "sample.many_samples[10].many_strings[2]": "manySamples[10].manyStrings[2]" },
      ],
      ["POST", "/v1/shelves/1/books/2:lend", "{}", { reader: "reader" }],
      ["GET", "/v1/books/1", undefined, { isbn: "isbn" }],
    ])("field violations are reported with the client's names: %s %s", async (...each) => {
      const [method, target, body, paths] = each;
      const description = "is odd";
      const fieldViolations = Object.keys(paths).map((field) => ({ field, description }));
      const value = create(BadRequestSchema, { fieldViolations });
      const fussy = () => {
        const details = [{ desc: BadRequestSchema, value }];
        throw new ConnectError("private", Code.InvalidArgument, undefined, details);
      };
      const methods = [rpc.updateBook, rpc.echo, rpc.lendBook, rpc.getBook].map((desc) =>
        unary(desc as DescMethodUnary, fussy),
      );
      const listener = frontDoor(shelfTranscoder({ methods }));
      const reply = await sendOnce(serve, listener, method, target, body ? { body } : {});
      const message = Object.values(paths)
        .map((path) => `${path}: is odd`)
        .join("; ");
      expect(reply).toMatchObject({
        status: 400,
        body: errorBody(400, "invalid_argument", message),
      });
    });

    test("an unwanted body is rejected by its declared length, before it is read", async () => {
      const message = "request body: must be empty: this operation takes no body";
      expect(await client.send("GET", "/v1/books/1", { body: "x".repeat(2000) })).toMatchObject({
        status: 400,
        body: errorBody(400, "invalid_argument", message),
      });
    });
  });

  test("403 before the body is read", async () => {
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
          body: errorBody(404, "not_found", "No resource exists at this path. Check the URL."),
        });
      },
    );

    test("when the service reports not_found", async () => {
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
    const message =
      "This path does not support the method of the request. Use one of GET, HEAD, OPTIONS, POST.";
    expect(reply).toMatchObject({
      status: 405,
      body: errorBody(405, "method_not_allowed", message),
    });
    expect(reply.headers.allow).toBe("GET, HEAD, OPTIONS, POST");
  });
});
