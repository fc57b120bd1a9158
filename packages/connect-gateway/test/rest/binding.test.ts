import { describe, expect, test } from "vitest";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { bind, get, post, type Rule, type Unary } from "./support/bind.ts";
import { httpJson, protoJson } from "./support/json.ts";

const rpc = ShelfService.method;

const int32 =
  "sample.anInt32: must be an integer between -2147483648 and 2147483647 in plain decimal";
const differs = "differs from the value in the path; send the same value or leave it out";

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
    // NUL is an ordinary character, as in the query and the body.
    ["a_string", "a%00", { aString: "a\0" }],
    ["maybe_int32", "0", { maybeInt32: 0 }],
    ["choice_string", "x", { choice: { case: "choiceString", value: "x" } }],
    ["a_sample.a_sample.a_string", "x", { aSample: { aSample: { aString: "x" } } }],
    ["choice_sample.a_string", "x", { choice: { case: "choiceSample", value: { aString: "x" } } }],
    ["an_int64_in_string", "5", { anInt64InString: "5" }],
  ])("{sample.%s} of /%s", (field, text, sample) => {
    expect(bind(rpc.echo, get(`/{sample.${field}}`), `/${text}`)).toMatchObject({ sample });
  });

  test.each([
    ["an_int32", "1e3", int32],
    ["an_int32", "%2B1", int32],
    [
      "a_genre",
      "unspecified",
      'sample.aGenre: has no value "unspecified": must be one of novel, science_fiction',
    ],
    ["a_bool", "1", "sample.aBool: must be true or false"],
    ["some_bytes", "*", "sample.someBytes: must be base64"],
    ["a_string", "%C0%80", "sample.aString: must be UTF-8 after percent-decoding"],
  ])("{sample.%s} of /%s is rejected", (field, text, message) => {
    expect(bind(rpc.echo, get(`/{sample.${field}}`), `/${text}`)).toBe(message);
  });

  test.each([
    ["/{name=a}", "/%61", "a"],
    ["/{name=*}", "/x%2Fy", "x/y"],
    ["/a/b/{name}", "/a/b/x%2Fy", "x/y"],
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

  test("a segment that matches a wildcard must be decodable", () => {
    expect(bind(rpc.getBook, get("/*/{name}"), "/a%2Fb/x")).toMatchObject({ name: "x" });
    expect(bind(rpc.getBook, get("/*/{name}"), "/%ff/x")).toBe(
      "path: must be UTF-8 after percent-decoding",
    );
    expect(bind(rpc.getBook, get("/*/{name}"), "/%0/x")).toBe(
      "path: has invalid percent-encoding; encode % itself as %25",
    );
  });
});

const bindQuery = (query: string, codec = httpJson) =>
  bind(rpc.echo, get("/echo"), `/echo?${query}`, "", codec);

test("a query can repeat well-known types that have a text form", () => {
  const query =
    "sample.manyTimestamps=1970-01-01T00:00:01Z&sample.many_timestamps=1970-01-01T00:00:02Z";
  expect(bindQuery(`${query}&sample.manyWrapped=5&sample.manyWrapped=6`)).toMatchObject({
    sample: {
      manyTimestamps: [{ seconds: 1n }, { seconds: 2n }],
      manyWrapped: [{ value: 5n }, { value: 6n }],
    },
  });
  expect(bindQuery("sample.manyTimestamps=1")).toMatch("must be an RFC 3339 timestamp");
  expect(bindQuery("sample.manyStructs=1")).toMatch("unknown query parameter");
});

test("a query has at most 200 parameters", () => {
  const many = (count: number) => bindQuery("sample.manyWrapped=5&".repeat(count).slice(0, -1));
  expect(many(200)).toBeTypeOf("object");
  expect(many(201)).toBe("query: must have at most 200 parameters");
});

test("the error of an unknown enum value lists all values that are accepted", () => {
  expect(bindQuery("sample.aGenre=GENRE_UNSPECIFIED", protoJson)).toBeTypeOf("object");
  expect(bindQuery("sample.aGenre=x", protoJson)).toBe(
    'sample.aGenre: has no value "x": must be one of GENRE_UNSPECIFIED, GENRE_NOVEL, GENRE_SCIENCE_FICTION',
  );
});

const { lendBook, echo, getBook } = rpc;
const byName = get("/{name}");
const byEmail = post("/{email}", "*");
const byBytes = post("/{sample.some_bytes}", "sample");

describe("path, query and body", () => {
  const lend = post("/{name}", "*");
  test("are combined into one message", () => {
    const rule = post("/{parent}", "book");
    expect(bind(rpc.createBook, rule, "/s?bookId=7", '{"title":"Kim"}')).toMatchObject({
      parent: "s",
      bookId: "7",
      book: { title: "Kim" },
    });
  });

  test.each<[Unary, Rule, string, string, string]>([
    [lendBook, lend, "/x", '{"name":"y"}', `name: ${differs}`],
    [lendBook, lend, "/x", '{"name":""}', `name: ${differs}`],
    [lendBook, byEmail, "/x", '{"phone":"y"}', "email: only one of email, phone may be given"],
    [lendBook, lend, "/x?reader=y", "", "reader: must be in the request body, not in the query"],
    [
      rpc.lendBook,
      lend,
      "/x",
      '{"memo":"y"}',
      "memo: unknown field; use one of name, reader, period, email, phone",
    ],
    [lendBook, byName, "/x?memo=y", "", "memo: unknown query parameter"],
    [lendBook, byName, "/x?phone=y&phone=y", "", "phone: is given twice; send it once"],
    [rpc.listBooks, get("/{first}"), "/5?last=6", "", "last: only one of first, last may be given"],
    [echo, byBytes, "/_-8", '{"someBytes":"/+4="}', `someBytes: ${differs}`],
    [
      rpc.echo,
      post("/{sample.a_sample.an_int64}", "*"),
      "/5",
      '{"sample":{"aSample":{"anInt64":6}}}',
      `sample.aSample.anInt64: ${differs}`,
    ],
    [getBook, byName, "/x?name=x", "", "name: is already in the path; remove it from the query"],
    [getBook, byName, "/x", "{}", "request body: must be empty: this operation takes no body"],
  ])("%s %j %s %s: never overwrite each other", (desc, rule, target, body, message) => {
    expect(bind(desc, rule, target, body)).toBe(message);
  });

  test.each<[Unary, Rule, string, string]>([
    [lendBook, lend, "/x", '{"name":"x"}'],
    [lendBook, byEmail, "/x", '{"email":"x"}'],
    [echo, byBytes, "/_-8", '{"someBytes":"/+8="}'],
    [
      rpc.echo,
      post("/{sample.a_sample.an_int64}/{sample.a_sample.a_bool}", "*"),
      "/5/true",
      '{"sample":{"aSample":{"anInt64":5.0,"aBool":true,"aString":"x"}}}',
    ],
    [echo, post("/{sample.a_double}", "sample"), "/NaN", '{"aDouble":"NaN"}'],
  ])("%s %j %s %s: can set the same value", (desc, rule, target, body) => {
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

  test.each(['{"title":"a"} x', '{"title":"a"}{}', '{"title":"a"},'])(
    "a body ends with its value: %s",
    (body) => {
      expect(bind(rpc.createBook, post("/{parent}", "book"), "/x", body)).toMatch(
        /^request body: /,
      );
    },
  );

  test("no body leaves the field unset, and the message empty", () => {
    expect(bind(rpc.createBook, post("/{parent}", "book"), "/s")).not.toHaveProperty("book");
    expect(bind(rpc.lendBook, lend, "/s")).toMatchObject({ name: "s", reader: "" });
  });

  test("all fields can come in the body", () => {
    const body = '{"name":"x","reader":"y"}';
    expect(bind(rpc.lendBook, post("/a", "*"), "/a", body)).toMatchObject({
      name: "x",
      reader: "y",
    });
  });
});
