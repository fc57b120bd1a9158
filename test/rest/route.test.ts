import type { DescMethodUnary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { Method } from "../../src/call/method.ts";
import { splitTarget } from "../../src/http/request-target.ts";
import { httpJson, protoJson } from "../../src/rest/json-form.ts";
import { createTranscoder } from "../../src/rest/transcoder.ts";
import { TwinsSchema } from "./gen/shelf/v1/legacy_pb.ts";
import { ShelfService } from "./gen/shelf/v1/shelf_pb.ts";
import { streaming, unary, withRule } from "./support/methods.ts";
import { shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;
type Rule = Parameters<typeof withRule>[1];

/** Makes a transcoder over methods that have other rules. */
function transcode(...methods: (readonly [DescMethodUnary, Rule])[]) {
  const ruled = methods.map(([desc, rule]) => unary(withRule(desc, rule), () => ({})));
  return createTranscoder({ methods: ruled, json: httpJson, maxBodyBytes: () => 1 });
}

const get = (value: string): Rule => ({ pattern: { case: "get", value } });
const post = (value: string, body: string): Rule => ({ pattern: { case: "post", value }, body });

describe("a rule that is not valid is refused at start, by the method's name", () => {
  test.each<[DescMethodUnary, Rule, string]>([
    [rpc.getBook, get("v1"), 'path template "v1", position 1: expected "/"'],
    [rpc.getBook, get("/{title}"), 'shelf.v1.GetBookRequest has no field "title"'],
    [rpc.getBook, get("/{name.x}"), "name.x: name has no fields to go down to"],
    [rpc.updateBook, get("/{book.x}"), 'shelf.v1.Book has no field "x"'],
    [rpc.updateBook, get("/{book}"), "path variable book is repeated, a map or a message"],
    [
      rpc.updateBook,
      get("/{book.tags}"),
      "path variable book.tags is repeated, a map or a message",
    ],
    [rpc.listBooks, get("/{genres}"), "path variable genres is repeated, a map or a message"],
    [rpc.listBooks, get("/{labels}"), "path variable labels is repeated, a map or a message"],
    [
      rpc.listBooks,
      get("/{authors.given_name}"),
      "authors.given_name: authors has no fields to go down to",
    ],
    [rpc.listBooks, get("/{labels.key}"), "labels.key: labels has no fields to go down to"],
    [
      rpc.listBooks,
      get("/{published_after}"),
      "path variable published_after is repeated, a map or a message",
    ],
    [
      rpc.listBooks,
      get("/{published_after.seconds}"),
      "published_after.seconds: published_after has no fields to go down to",
    ],
    [rpc.listBooks, get("/{lent}"), "path variable lent is repeated, a map or a message"],
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
      "a path variable can't be a part of google.api.HttpBody",
    ],
    [rpc.getBook, {}, "a rule has neither a method nor a path"],
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
      "additional_bindings can't have additional_bindings of their own",
    ],
    [
      rpc.getBook,
      { ...get("/a"), additionalBindings: [get("/{}")] as never },
      'path template "/{}", position 3: expected the name of a field',
    ],
  ])("%s %j", (desc, rule, reason) => {
    const message = expect.stringContaining(`shelf.v1.ShelfService.${desc.name}: ${reason}`);
    const fault = expect.objectContaining({ message, cause: expect.any(Error) });
    expect(() => transcode([desc, rule])).toThrow(fault);
  });

  test.each(["client_streaming", "bidi_streaming"])("a rule of a %s method", (kind) => {
    const routesOf = (desc: DescMethodUnary) => {
      const method = { ...unary(desc, () => ({})), kind } as unknown as Method<string>;
      return shelfTranscoder({ methods: [method] }).routes;
    };
    expect(() => routesOf(withRule(rpc.getBook, get("/a")))).toThrow(
      "shelf.v1.ShelfService.GetBook: a method that takes a stream can't be served as JSON over HTTP",
    );
    expect(routesOf(rpc.audit)).toEqual([]);
  });

  test("a query that no request could be read from", () => {
    const twins = { ...rpc.countBooks, input: TwinsSchema };
    expect(() => transcode([twins, get("/a")])).toThrow("two values have the short name a");
  });

  test("two rules that clash, of one method or of two", () => {
    expect(() => transcode([rpc.getBook, get("/a/{name}")], [rpc.listBooks, get("/a/*")])).toThrow(
      "shelf.v1.ShelfService.ListBooks and shelf.v1.ShelfService.GetBook both answer GET /a/*",
    );
    const twice = { ...get("/a"), additionalBindings: [get("/a")] as never };
    expect(() => transcode([rpc.getBook, twice])).toThrow("both answer GET /a");
  });
});

describe("routes", () => {
  test("are there for every rule, in order, without methods that have none", () => {
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

  test("tell where the fields of the messages go", () => {
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

  test("of streaming methods, too", () => {
    const scan = streaming(rpc.scan, async function* () {});
    const { routes } = createTranscoder({
      methods: [scan],
      json: protoJson,
      maxBodyBytes: () => 1,
    });
    expect(routes.map(({ template }) => template.text)).toEqual(["/v1/scan", "/v1/scan:whole"]);
  });
});

describe("a target is", () => {
  const match = (method: string, target: string) =>
    shelfTranscoder().match(method, splitTarget(target));

  test("a path and a query", () => {
    expect(match("GET", "/v1/books?a=b?c")).toMatchObject({
      kind: "route",
      segments: ["v1", "books"],
      query: "a=b?c",
    });
    expect(match("GET", "/v1/books?")).toMatchObject({ kind: "route", query: "" });
  });
  test("the server as a whole, for OPTIONS", () => {
    expect(match("OPTIONS", "*")).toEqual({
      kind: "options",
      allow: "GET, HEAD, OPTIONS, PATCH, POST, PUT",
    });
    expect(match("GET", "*")).toEqual({ kind: "not_found" });
  });
  test("not found for OPTIONS, too, and answered by a rule for any method", () => {
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
