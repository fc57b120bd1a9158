import type { DescMethodUnary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { Method } from "../../src/call/method.ts";
import { splitTarget } from "../../src/http/request-target.ts";
import { createMatcher } from "../../src/rest/path/router.ts";
import { createTranscoder } from "../../src/rest/transcoder.ts";
import { TwinsSchema } from "../gen/shelf/v1/legacy_pb.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { httpJson, protoJson } from "./support/json.ts";
import { streaming, unary, withRule } from "./support/methods.ts";
import { shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;
type Rule = Parameters<typeof withRule>[1];

/** Creates a transcoder for methods with other rules. */
function transcode(...methods: (readonly [DescMethodUnary, Rule])[]) {
  const ruled = methods.map(([desc, rule]) => unary(withRule(desc, rule), () => ({})));
  return createTranscoder({ methods: ruled, json: httpJson, maxBodyBytes: () => 1 });
}

const get = (value: string): Rule => ({ pattern: { case: "get", value } });
const post = (value: string, body: string): Rule => ({ pattern: { case: "post", value }, body });

describe("an invalid rule throws at start-up an error that names the method", () => {
  test.each<[DescMethodUnary, Rule, string]>([
    [rpc.getBook, get("v1"), 'path template "v1", position 1: expected "/"'],
    [rpc.getBook, get("/{title}"), 'shelf.v1.GetBookRequest has no field "title"'],
    [rpc.getBook, get("/{name.x}"), "name.x: name has no fields that a path can name"],
    [rpc.updateBook, get("/{book.x}"), 'shelf.v1.Book has no field "x"'],
    [rpc.updateBook, get("/{book}"), "path variable book must be a singular scalar or enum field"],
    [
      rpc.updateBook,
      get("/{book.tags}"),
      "path variable book.tags must be a singular scalar or enum field",
    ],
    [
      rpc.listBooks,
      get("/{genres}"),
      "path variable genres must be a singular scalar or enum field",
    ],
    [
      rpc.listBooks,
      get("/{labels}"),
      "path variable labels must be a singular scalar or enum field",
    ],
    [
      rpc.listBooks,
      get("/{authors.given_name}"),
      "authors.given_name: authors has no fields that a path can name",
    ],
    [rpc.listBooks, get("/{labels.key}"), "labels.key: labels has no fields that a path can name"],
    [
      rpc.listBooks,
      get("/{published_after}"),
      "path variable published_after must be a singular scalar or enum field",
    ],
    [
      rpc.listBooks,
      get("/{published_after.seconds}"),
      "published_after.seconds: published_after has no fields that a path can name",
    ],
    [rpc.listBooks, get("/{lent}"), "path variable lent must be a singular scalar or enum field"],
    [
      rpc.getBook,
      get("/{name}/{name}"),
      'path template "/{name}/{name}", position 14: name is bound twice',
    ],
    [rpc.createBook, post("/a", "books"), 'shelf.v1.CreateBookRequest has no field "books"'],
    [
      rpc.createBook,
      post("/a", "book.title"),
      'shelf.v1.CreateBookRequest has no field "book.title"',
    ],
    [rpc.lendBook, post("/a", "memo"), 'shelf.v1.LendBookRequest has no field "memo"'],
    [rpc.lendBook, get("/{memo}"), 'shelf.v1.LendBookRequest has no field "memo"'],
    [rpc.createBook, post("/{parent}", "parent"), "parent is bound by the path and by the body"],
    [
      rpc.createBook,
      { ...get("/a"), responseBody: "title" },
      'shelf.v1.CreateBookResponse has no field "title"',
    ],
    [
      rpc.upload,
      post("/{cover.content_type}", "cover"),
      "a path variable cannot be inside google.api.HttpBody",
    ],
    [rpc.getBook, {}, "a rule must have a method and a path"],
    [
      rpc.getBook,
      { pattern: { case: "custom", value: { kind: "", path: "/a" } } },
      '"" is not an HTTP method',
    ],
    [
      rpc.getBook,
      { pattern: { case: "custom", value: { kind: "A B", path: "/a" } } },
      '"A B" is not an HTTP method',
    ],
    [
      rpc.getBook,
      {
        ...get("/a"),
        additionalBindings: [{ ...get("/b"), additionalBindings: [get("/c")] }] as never,
      },
      "additional_bindings cannot be nested",
    ],
    [
      rpc.getBook,
      { ...get("/a"), additionalBindings: [get("/{}")] as never },
      'path template "/{}", position 3: expected a field name',
    ],
  ])("%s %j", (desc, rule, reason) => {
    const message = expect.stringContaining(`shelf.v1.ShelfService.${desc.name}: ${reason}`);
    const fault = expect.objectContaining({ message, cause: expect.any(Error) });
    expect(() => transcode([desc, rule])).toThrow(fault);
  });

  test.each(["client_streaming", "bidi_streaming"])("a rule of a %s method", (kind) => {
    const routesOf = (desc: DescMethodUnary) => {
      const method = { ...unary(desc, () => ({})), kind } as unknown as Method;
      return shelfTranscoder({ methods: [method] }).routes;
    };
    expect(() => routesOf(withRule(rpc.getBook, get("/a")))).toThrow(
      "shelf.v1.ShelfService.GetBook: a method with a stream of requests cannot be served as JSON over HTTP",
    );
    expect(routesOf(rpc.audit)).toEqual([]);
  });

  test("a message that a query cannot be compiled for", () => {
    const twins = { ...rpc.countBooks, input: TwinsSchema };
    expect(() => transcode([twins, get("/a")])).toThrow("two values have the short name a");
  });

  test("two conflicting rules, of one method or of two", () => {
    expect(() => transcode([rpc.getBook, get("/a/{name}")], [rpc.listBooks, get("/a/*")])).toThrow(
      "shelf.v1.ShelfService.ListBooks and shelf.v1.ShelfService.GetBook both serve GET /a/*",
    );
    const twice = { ...get("/a"), additionalBindings: [get("/a")] as never };
    expect(() => transcode([rpc.getBook, twice])).toThrow("both serve GET /a");
  });
});

describe("routes", () => {
  test("exist for every rule, in order, and not for methods without rules", () => {
    const { routes } = shelfTranscoder();
    expect(
      routes.map(({ httpMethod, template, name }) => [
        httpMethod,
        template.text,
        name.split(".").at(-1),
      ]),
    ).toEqual([
      ["GET", "/v1/{name=shelves/*/books/*}", "GetBook"],
      ["GET", "/v1/books/{isbn}", "GetBook"],
      ["GET", "/v1/{parent=shelves/*}/books", "ListBooks"],
      ["GET", "/v1/books", "ListBooks"],
      ["POST", "/v1/{parent=shelves/*}/books", "CreateBook"],
      ["PATCH", "/v1/{book.name=shelves/*/books/*}", "UpdateBook"],
      ["POST", "/v1/{name=shelves/*/books/*}:lend", "LendBook"],
      ["PUT", "/v1/books/{isbn}/tags", "PutTags"],
      ["GET", "/v1/books:count", "CountBooks"],
      ["GET", "/v1/files/{path=**}", "GetFile"],
      ["HEAD", "/v1/probe/{name}", "ProbeBook"],
      ["*", "/v1/any/{name}", "ProbeBook"],
      ["POST", "/v1/echo", "Echo"],
      ["GET", "/v1/echo", "Echo"],
    ]);
  });

  test("have the fields of path and body", () => {
    const { routes } = shelfTranscoder();
    const update = routes.find(({ httpMethod }) => httpMethod === "PATCH");
    expect(update).toMatchObject({
      variables: [{ name: "book.name", start: 1, end: 5, multi: true }],
      body: { name: "book" },
      responseBody: { name: "book" },
      updateMask: { field: { name: "update_mask" } },
    });
    expect(routes.find(({ name }) => name.endsWith("LendBook"))).toMatchObject({
      body: "*",
      responseBody: undefined,
    });
  });

  test("exist for streaming methods too", () => {
    const scan = streaming(rpc.scan, async function* () {});
    const { routes } = createTranscoder({
      methods: [scan],
      json: protoJson,
      maxBodyBytes: () => 1,
    });
    expect(routes.map(({ template }) => template.text)).toEqual(["/v1/scan", "/v1/scan:whole"]);
  });
});

describe("a target matches", () => {
  const match = (method: string, target: string) =>
    createMatcher(shelfTranscoder().routes)(method, splitTarget(target));

  test("a path and a query", () => {
    expect(match("GET", "/v1/books?a=b?c")).toMatchObject({
      kind: "route",
      segments: ["v1", "books"],
      query: "a=b?c",
    });
    expect(match("GET", "/v1/books?")).toMatchObject({ kind: "route", query: "" });
  });
  test("the whole server, for OPTIONS *", () => {
    expect(match("OPTIONS", "*")).toEqual({
      kind: "options",
      allow: "GET, HEAD, OPTIONS, PATCH, POST, PUT",
    });
    expect(match("GET", "*")).toEqual({ kind: "not_found" });
  });
  test("nothing for OPTIONS of an unknown path, and a rule for any method", () => {
    expect(match("OPTIONS", "/v1/nothing")).toEqual({ kind: "not_found" });
    expect(match("OPTIONS", "/v1/any/x")).toMatchObject({ kind: "route" });
    expect(match("GET", "/v1/probe/x")).toEqual({
      kind: "method_not_allowed",
      allow: "HEAD, OPTIONS",
    });
    expect(match("GET", "/v1/shelves/1/books/2:lend")).toEqual({
      kind: "method_not_allowed",
      allow: "OPTIONS, POST",
    });
  });
});
