import type { DescMethodUnary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { Method } from "../../src/call/method.ts";
import { TwinsSchema } from "../gen/shelf/v1/legacy_pb.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { unary, withRule } from "./support/methods.ts";
import { shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;
type Rule = Parameters<typeof withRule>[1];

function transcode(...methods: (readonly [DescMethodUnary, Rule])[]) {
  const ruled = methods.map(([desc, rule]) => unary(withRule(desc, rule), () => ({})));
  return shelfTranscoder({ methods: ruled });
}

const get = (value: string): Rule => ({ pattern: { case: "get", value } });
const post = (value: string, body: string): Rule => ({ pattern: { case: "post", value }, body });

const notScalar = (name: string) => `path variable ${name} must be a singular scalar or enum field`;
const noFields = (path: string, name: string) =>
  `${path}: ${name} has no fields that a path can name`;
const lacks = (message: string, name: string) => `shelf.v1.${message} has no field "${name}"`;

describe("an invalid rule throws at start-up an error that names the method", () => {
  test.each<[DescMethodUnary, Rule, string]>([
    [rpc.getBook, get("v1"), 'path template "v1", position 1: expected "/"'],
    [rpc.getBook, get("/{title}"), lacks("GetBookRequest", "title")],
    [rpc.getBook, get("/{name.x}"), noFields("name.x", "name")],
    [rpc.updateBook, get("/{book.x}"), lacks("Book", "x")],
    [rpc.updateBook, get("/{book}"), notScalar("book")],
    [rpc.updateBook, get("/{book.tags}"), notScalar("book.tags")],
    [rpc.listBooks, get("/{genres}"), notScalar("genres")],
    [rpc.listBooks, get("/{labels}"), notScalar("labels")],
    [rpc.listBooks, get("/{authors.given_name}"), noFields("authors.given_name", "authors")],
    [rpc.listBooks, get("/{labels.key}"), noFields("labels.key", "labels")],
    [rpc.listBooks, get("/{published_after}"), notScalar("published_after")],
    [
      rpc.listBooks,
      get("/{published_after.seconds}"),
      "published_after.seconds: published_after has no fields that a path can name",
    ],
    [rpc.listBooks, get("/{lent}"), notScalar("lent")],
    [
      rpc.getBook,
      get("/{name}/{name}"),
      'path template "/{name}/{name}", position 14: name is bound twice',
    ],
    [rpc.createBook, post("/a", "books"), lacks("CreateBookRequest", "books")],
    [rpc.createBook, post("/a", "book.title"), lacks("CreateBookRequest", "book.title")],
    [rpc.lendBook, post("/a", "memo"), lacks("LendBookRequest", "memo")],
    [rpc.lendBook, get("/{memo}"), lacks("LendBookRequest", "memo")],
    [rpc.createBook, post("/{parent}", "parent"), "parent is bound by the path and by the body"],
    [rpc.createBook, { ...get("/a"), responseBody: "title" }, lacks("CreateBookResponse", "title")],
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
