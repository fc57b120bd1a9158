import { describe, expect, test } from "vitest";
import { bindRequest } from "../../src/rest/binding.ts";
import { InvalidInput, describe as tell } from "../../src/rest/invalid-input.ts";
import { httpJson, type JsonForm, protoJson } from "../../src/rest/json-form.ts";
import { createQueryFields } from "../../src/rest/query.ts";
import { createTranscoder } from "../../src/rest/transcoder.ts";
import { ShelfService } from "./gen/shelf/v1/shelf_pb.ts";
import { unary, withRule } from "./support/methods.ts";

const rpc = ShelfService.method;
type Rule = Parameters<typeof withRule>[1];
type Unary = Parameters<typeof unary>[0];

/** Binds a request to a method under a rule, and gives the request message. */
function bind(
  desc: Unary,
  rule: Rule,
  target: string,
  body = "",
  form: JsonForm = httpJson,
): unknown {
  const method = unary(withRule(desc, rule), () => ({}));
  const { match } = createTranscoder({ methods: [method], json: form, maxBodyBytes: 1 });
  const found = match(rule.pattern?.case?.toUpperCase() ?? "", target);
  if (found.kind !== "route") return found.kind;
  const { route, segments, query } = found;
  const fields = createQueryFields(form.dialect)(desc.input);
  try {
    return bindRequest(
      route,
      { segments, query, body: Buffer.from(body), contentType: undefined },
      fields,
    );
  } catch (error) {
    if (error instanceof InvalidInput) return tell(error);
    throw error;
  }
}

const get = (value: string): Rule => ({ pattern: { case: "get", value } });
const post = (value: string, body: string): Rule => ({ pattern: { case: "post", value }, body });
const patch = (value: string, body: string): Rule => ({ pattern: { case: "patch", value }, body });

describe("a path variable", () => {
  test.each([
    ["an_int32", "-5", { anInt32: -5 }],
    ["a_uint64", "18446744073709551615", { aUint64: 18446744073709551615n }],
    ["a_bool", "true", { aBool: true }],
    ["a_genre", "novel", { aGenre: 1 }],
    ["a_double", "1e3", { aDouble: 1000 }],
    ["some_bytes", "_-8", { someBytes: Uint8Array.of(0xff, 0xef) }],
    ["a_string", "a%2Fb%20c+d", { aString: "a/b c+d" }],
    ["a_string", "..", { aString: ".." }],
    ["maybe_int32", "0", { maybeInt32: 0 }],
    ["choice_string", "x", { choice: { case: "choiceString", value: "x" } }],
    ["a_sample.a_sample.a_string", "x", { aSample: { aSample: { aString: "x" } } }],
    ["choice_sample.a_string", "x", { choice: { case: "choiceSample", value: { aString: "x" } } }],
    ["an_int64_in_string", "5", { anInt64InString: "5" }],
  ])("{sample.%s} of /%s", (field, text, sample) => {
    expect(bind(rpc.echo, get(`/{sample.${field}}`), `/${text}`)).toMatchObject({ sample });
  });

  test.each([
    [
      "an_int32",
      "1e3",
      "sample.anInt32: must be an integer from -2147483648 to 2147483647 in plain decimal",
    ],
    [
      "an_int32",
      "%2B1",
      "sample.anInt32: must be an integer from -2147483648 to 2147483647 in plain decimal",
    ],
    ["a_genre", "unspecified", "sample.aGenre: must be one of novel, science_fiction"],
    ["a_bool", "1", "sample.aBool: must be true or false"],
    ["some_bytes", "*", "sample.someBytes: must be base64"],
    ["a_string", "a%00", "sample.aString: has a NUL character"],
    ["a_string", "%C0%80", "sample.aString: is not UTF-8 when percent-decoded"],
  ])("{sample.%s} of /%s is refused", (field, text, message) => {
    expect(bind(rpc.echo, get(`/{sample.${field}}`), `/${text}`)).toBe(message);
  });

  test.each([
    ["/{name=a}", "/%61", "a"],
    ["/{name=*}", "/x%2Fy", "x/y"],
    ["/{name=a/*}", "/%61/x%2Fy%25", "a/x%2Fy%"],
    ["/{name=**}", "/", ""],
    ["/{name=**}", "/x/y%2f/z%41", "x/y%2f/zA"],
    ["/a/{name=**}", "/a", ""],
    ["/a/{name=b/**}:v", "/a/b/c/d:v", "b/c/d"],
    ["/a/{name=b/**}:v", "/a/b:v", "b"],
    ["/a/{name}:v", "/a/b:c:v", "b:c"],
    ["/{name=a/b}:v", "/a/b:v", "a/b"],
  ])("%s of %s is %s", (template, target, name) => {
    expect(bind(rpc.getBook, get(template), target)).toMatchObject({ name });
  });

  test("what a wildcard takes has to be text, too", () => {
    expect(bind(rpc.getBook, get("/*/{name}"), "/a%2Fb/x")).toMatchObject({ name: "x" });
    expect(bind(rpc.getBook, get("/*/{name}"), "/%ff/x")).toBe(
      "path: is not UTF-8 when percent-decoded",
    );
    expect(bind(rpc.getBook, get("/*/{name}"), "/%0/x")).toBe(
      "path: is not valid percent-encoding; write % itself as %25",
    );
  });
});

describe("path, query and body", () => {
  test("make one message", () => {
    const rule = post("/{parent}", "book");
    expect(bind(rpc.createBook, rule, "/s?bookId=7", '{"title":"Kim"}')).toMatchObject({
      parent: "s",
      bookId: "7",
      book: { title: "Kim" },
    });
  });

  test.each<[Unary, Rule, string, string, string]>([
    [
      rpc.lendBook,
      post("/{name}", "*"),
      "/x",
      '{"name":"y"}',
      "name: differs from its value in the path; leave it out",
    ],
    [
      rpc.lendBook,
      post("/{name}", "*"),
      "/x",
      '{"name":""}',
      "name: differs from its value in the path; leave it out",
    ],
    [
      rpc.lendBook,
      post("/{email}", "*"),
      "/x",
      '{"phone":"y"}',
      "email: only one of email, phone may be given",
    ],
    [
      rpc.lendBook,
      post("/{name}", "*"),
      "/x?reader=y",
      "",
      "reader: belongs in the request body, not in the query",
    ],
    [rpc.listBooks, get("/{first}"), "/5?last=6", "", "last: only one of first, last may be given"],
    [
      rpc.echo,
      post("/{sample.some_bytes}", "sample"),
      "/_-8",
      '{"someBytes":"/+4="}',
      "someBytes: differs from its value in the path; leave it out",
    ],
    [
      rpc.echo,
      post("/{sample.a_sample.an_int64}", "*"),
      "/5",
      '{"sample":{"aSample":{"anInt64":6}}}',
      "sample.aSample.anInt64: differs from its value in the path; leave it out",
    ],
    [
      rpc.getBook,
      get("/{name}"),
      "/x?name=x",
      "",
      "name: given in the path already; leave it out of the query",
    ],
    [rpc.getBook, get("/{name}"), "/x", "{}", "request body: is not used here; send none"],
  ])("%s %j %s %s: never overwrite each other", (desc, rule, target, body, message) => {
    expect(bind(desc, rule, target, body)).toBe(message);
  });

  test.each<[Unary, Rule, string, string]>([
    [rpc.lendBook, post("/{name}", "*"), "/x", '{"name":"x"}'],
    [rpc.echo, post("/{sample.some_bytes}", "sample"), "/_-8", '{"someBytes":"/+8="}'],
    [
      rpc.echo,
      post("/{sample.a_sample.an_int64}/{sample.a_sample.a_bool}", "*"),
      "/5/true",
      '{"sample":{"aSample":{"anInt64":5.0,"aBool":true,"aString":"x"}}}',
    ],
    [rpc.echo, post("/{sample.a_double}", "sample"), "/NaN", '{"aDouble":"NaN"}'],
  ])("%s %j %s %s: may say the same", (desc, rule, target, body) => {
    expect(bind(desc, rule, target, body)).toBeTypeOf("object");
  });

  test.each<[string, string, string]>([
    ["tags", '["a"]', '{"tags":["a"]}'],
    ["isbn", "7", '{"isbn":"7"}'],
  ])("a body can be any field: %s %s", (field, body, expected) => {
    const message = bind(rpc.putTags, post("/a", field), "/a", body);
    expect(protoJson.encodeJson(rpc.putTags.input, message as never)).toBe(expected);
  });

  test("a body can be a map", () => {
    expect(bind(rpc.listBooks, post("/a", "labels"), "/a", '{"a":"b"}')).toMatchObject({
      labels: { a: "b" },
    });
  });

  test("no body leaves the field unset, and the message empty", () => {
    expect(bind(rpc.createBook, post("/{parent}", "book"), "/s")).not.toHaveProperty("book");
    expect(bind(rpc.lendBook, post("/{name}", "*"), "/s")).toMatchObject({ name: "s", reader: "" });
  });

  test("all fields can come in the body", () => {
    const body = '{"name":"x","reader":"y"}';
    expect(bind(rpc.lendBook, post("/a", "*"), "/a", body)).toMatchObject({
      name: "x",
      reader: "y",
    });
  });
});

describe("the update mask of a PATCH (AIP-134)", () => {
  const rule = patch("/{book.name}", "book");
  const maskOf = (body: string, query = "", form: JsonForm = httpJson, own: Rule = rule) =>
    (bind(rpc.updateBook, own, `/x${query}`, body, form) as { updateMask?: { paths: string[] } })
      .updateMask?.paths;

  test.each([
    ['{"title":"a","rating":5}', ["title", "rating"]],
    ['{"publishedAt":"2024-01-01T00:00:00Z","tags":[]}', ["tags", "published_at"]],
    [
      '{"author":{"givenName":"a","teacher":{"family_name":"b"}}}',
      ["author.given_name", "author.teacher.family_name"],
    ],
    ['{"author":{}}', ["author"]],
    // How the book is found is no update.
    ['{"name":"x","title":"a"}', ["title"]],
    ["{}", []],
  ])("%s: %j", (body, paths) => {
    expect(maskOf(body)).toEqual(paths);
  });

  test("is left as it is given", () => {
    expect(maskOf('{"title":"a"}', "?updateMask=rating,author.givenName")).toEqual([
      "rating",
      "author.given_name",
    ]);
    expect(maskOf('{"title":"a"}', "?updateMask=")).toEqual(["title"]);
  });

  test("has what is taken away by null, where the JSON has null for that (RFC 7396)", () => {
    expect(maskOf('{"author":null,"title":null}', "", protoJson)).toEqual(["title", "author"]);
  });

  test("is not made up without a body, for another method, or for a body that is the whole request", () => {
    expect(maskOf("")).toBeUndefined();
    const put: Rule = { pattern: { case: "put", value: "/{book.name}" }, body: "book" };
    expect(maskOf('{"title":"a"}', "", httpJson, put)).toBeUndefined();
    expect(
      maskOf('{"book":{"title":"a"}}', "", httpJson, patch("/{book.name}", "*")),
    ).toBeUndefined();
    expect(maskOf("true", "", httpJson, patch("/{book.name}", "allow_missing"))).toBeUndefined();
  });

  test("is no mask at all where the field of that name is something else", () => {
    const message = bind(rpc.createBook, patch("/{parent}", "book"), "/x", '{"title":"a"}');
    expect(message).toMatchObject({ updateMask: "" });
  });
});
