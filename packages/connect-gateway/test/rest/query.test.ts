import { describe, expect, test } from "vitest";
import { InvalidInput, describe as textOf } from "../../src/http/invalid-input.ts";
import { createMessage } from "../../src/rest/binding/message-field.ts";
import { queryFieldsOf, readQuery } from "../../src/rest/binding/query.ts";
import type { JsonCodec } from "../../src/rest/json/codec.ts";
import { ListBooksRequestSchema, SampleSchema } from "../gen/shelf/v1/shelf_pb.ts";
import { httpJson, protoJson } from "./support/json.ts";

const anywhere = { variables: [], body: undefined };

function read(
  query: string,
  desc = ListBooksRequestSchema as typeof SampleSchema | typeof ListBooksRequestSchema,
  codec: JsonCodec = httpJson,
) {
  const message = createMessage(desc);
  readQuery(query, message, queryFieldsOf(desc, codec.style), anywhere);
  return message;
}

function fault(query: string, desc?: Parameters<typeof read>[1], codec?: JsonCodec): string {
  try {
    read(query, desc, codec);
  } catch (error) {
    if (error instanceof InvalidInput) return textOf(error);
    throw error;
  }
  return "no fault";
}

describe("a query is read", () => {
  test.each([
    ["pageSize=5", { pageSize: 5 }],
    ["page_size=5", { pageSize: 5 }],
    ["genres=novel&genres=science_fiction", { genres: [1, 2] }],
    ["genres=GENRE_NOVEL&genres=2", { genres: [1, 2] }],
    ["genres=2&genres=1&parent=x&genres=1&g%65nres=2&&genres=2", { genres: [2, 1, 1, 2, 2] }],
    [
      "author.givenName=Jane&author.family_name=A",
      { author: { givenName: "Jane", familyName: "A" } },
    ],
    [
      "author.teacher.teacher.givenName=x",
      { author: { teacher: { teacher: { givenName: "x" } } } },
    ],
    [`author.${"teacher.".repeat(30)}givenName=x`, { author: { teacher: {} } }],
    ["publishedAfter=2024-01-01T00:00:00%2B01:00", { publishedAfter: { seconds: 1704063600n } }],
    ["longerThan=1.5s", { longerThan: { seconds: 1n, nanos: 500000000 } }],
    ["readMask=title,author.givenName", { readMask: { paths: ["title", "author.given_name"] } }],
    ["lent=false", { lent: false }],
    ["first=0", { range: { case: "first", value: 0 } }],
    ["parent=a+b%20c%2Bd%26", { parent: "a b c+d&" }],
    ["parent=", { parent: "" }],
    ["parent", { parent: "" }],
    ["parent=a=b", { parent: "a=b" }],
    ["parent=%00", { parent: "\0" }],
    ["&&parent=a&", { parent: "a" }],
    ["p%61rent=x", { parent: "x" }],
  ])("%s", (query, expected) => {
    expect(read(query)).toMatchObject(expected);
  });

  test.each([
    ["aDouble=-1.5e3", { aDouble: -1500 }],
    ["aDouble=NaN", { aDouble: Number.NaN }],
    ["aFloat=Infinity", { aFloat: Number.POSITIVE_INFINITY }],
    ["anInt64=-9223372036854775808", { anInt64: -9223372036854775808n }],
    ["aUint64=18446744073709551615", { aUint64: 18446744073709551615n }],
    ["aUint32=4294967295", { aUint32: 4294967295 }],
    ["anInt64InString=9007199254740993", { anInt64InString: "9007199254740993" }],
    ["aBool=true", { aBool: true }],
    ["someBytes=-_8", { someBytes: Uint8Array.of(0xfb, 0xff) }],
    ["someBytes=%2B/8=", { someBytes: Uint8Array.of(0xfb, 0xff) }],
    ["aBinding=paper", { aBinding: 0 }],
    ["wrappedInt64=9007199254740993", { wrappedInt64: 9007199254740993n }],
    ["wrappedBytes=AA", { wrappedBytes: Uint8Array.of(0) }],
    ["choiceWrapped=5", { choice: { case: "choiceWrapped", value: { value: 5n } } }],
    ["manyInt64=1&manyInt64=2", { manyInt64: [1n, 2n] }],
    ["another_name=x", { renamed: "x" }],
    ["aNull=NULL_VALUE", { aNull: 0 }],
  ])("%s", (query, expected) => {
    expect(read(query, SampleSchema)).toMatchObject(expected);
  });

  test("the zero value of an enum is accepted in a style with full names", () => {
    expect(read("aGenre=GENRE_UNSPECIFIED", SampleSchema, protoJson)).toMatchObject({ aGenre: 0 });
    expect(read("aGenre=0", SampleSchema, protoJson)).toMatchObject({ aGenre: 0 });
    expect(fault("aGenre=novel", SampleSchema, protoJson)).toBe(
      'aGenre: has no value "novel": must be one of GENRE_NOVEL, GENRE_SCIENCE_FICTION',
    );
  });
});

describe("a query is rejected", () => {
  test("a field mask that is too long", () => {
    const tooManyPaths = "readMask: must have at most 1000 elements";
    expect(fault(`readMask=${"a,".repeat(1_000)}a`)).toBe(tooManyPaths);
    const tooLong = "readMask: must have at most 8192 characters";
    expect(fault(`readMask=${"A".repeat(8_193)}`)).toBe(tooLong);
  });

  test.each([
    ["limit=5", "limit: unknown query parameter"],
    ["=5", "unknown query parameter"],
    ["author=x", "author: unknown query parameter"],
    ["author.x=1", "author.x: unknown query parameter"],
    ["author.=1", "author.: unknown query parameter"],
    ["parent.x=1", "parent.x: unknown query parameter"],
    ["authors.givenName=x", "authors.givenName: unknown query parameter"],
    ["authors=x", "authors: unknown query parameter"],
    ["labels=x", "labels: unknown query parameter"],
    ["labels.a=x", "labels.a: unknown query parameter"],
    ["filter=x", "filter: unknown query parameter"],
    ["filter.fields=x", "filter.fields: unknown query parameter"],
    ["publishedAfter.seconds=1", "publishedAfter.seconds: unknown query parameter"],
    [
      `author.${"teacher.".repeat(31)}givenName=x`,
      `author.${"teacher.".repeat(9)}t…: unknown query parameter`,
    ],
    ["__proto__=1", "__proto__: unknown query parameter"],
    ["pageSize=1&pageSize=1", "pageSize: is given twice; send it once"],
    ["pageSize=1&page_size=2", "page_size: is given twice; send it once"],
    ["author.givenName=a&author.given_name=b", "author.given_name: is given twice; send it once"],
    ["first=1&last=2", "last: only one of first, last may be given"],
    [
      "publishedAfter=yesterday",
      "publishedAfter: must be an RFC 3339 timestamp such as 2026-11-01T09:30:00Z",
    ],
    ["genres=NOVEL", 'genres: has no value "NOVEL": must be one of novel, science_fiction'],
    ["genres=0", 'genres: has no value "0": must be one of novel, science_fiction'],
    [
      "genres=GENRE_UNSPECIFIED",
      'genres: has no value "GENRE_UNSPECIFIED": must be one of novel, science_fiction',
    ],
    ["genres=77", 'genres: has no value "77": must be one of novel, science_fiction'],
    ["genres=1&genres=77", 'genres: has no value "77": must be one of novel, science_fiction'],
    ["genres=%E2%80%8E", 'genres: has no value "\\u200e": must be one of novel, science_fiction'],
    ["genres=", 'genres: has no value "": must be one of novel, science_fiction'],
    ["lent=1", "lent: must be true or false"],
    ["lent=TRUE", "lent: must be true or false"],
    ["parent=%", "parent: has invalid percent-encoding; encode % itself as %25"],
    ["parent=%ff", "parent: must be UTF-8 after percent-decoding"],
    ["%=1", "query: has invalid percent-encoding; encode % itself as %25"],
  ])("%s", (query, message) => {
    expect(fault(query)).toBe(message);
  });

  test("for a list of messages, even if one message has a text form", () => {
    const query = "manyTimestamps=2024-01-01T00:00:00Z";
    expect(fault(query, SampleSchema)).toBe("manyTimestamps: unknown query parameter");
  });

  test.each([
    "",
    "01",
    "+1",
    "-0",
    "1.0",
    "1e3",
    " 1",
    "1_000",
    "0x1",
    "2147483648",
    "-2147483649",
    "99999999999999999999999",
  ])("%j is not the canonical spelling of an integer", (text) => {
    expect(fault(`pageSize=${encodeURIComponent(text)}`)).toBe(
      "pageSize: must be an integer between -2147483648 and 2147483647 in plain decimal",
    );
  });

  test.each(["", "1.", ".5", "+1", "1e", "inf", "nan", "+Infinity", "1e309", "0x1"])(
    "%j is no number",
    (text) => {
      expect(fault(`aDouble=${encodeURIComponent(text)}`, SampleSchema)).toMatch(
        /^aDouble: must be a 64-bit number/,
      );
    },
  );
});

test("a query has at most 200 parameters", () => {
  const query = (count: number) => Array.from({ length: count }, () => "genres=novel").join("&");
  expect(read(query(200))).toMatchObject({ genres: Array.from({ length: 200 }, () => 1) });
  expect(fault(query(201))).toBe("query: must have at most 200 parameters");
});

describe("parameters for fields in the path or body", () => {
  const fields = queryFieldsOf(ListBooksRequestSchema, httpJson.style);
  const [parent, , , author] = ListBooksRequestSchema.fields;
  if (!parent || !author) throw new Error("fields are missing");
  const readWith = (query: string, scope: Parameters<typeof readQuery>[3]) => () =>
    readQuery(query, createMessage(ListBooksRequestSchema), fields, scope);

  test.each([
    [
      "parent=x",
      { variables: [{ path: [parent] as const }], body: undefined },
      "is already in the path; remove it from the query",
    ],
    [
      "pageSize=1",
      { variables: [], body: "*" as const },
      "must be in the request body, not in the query",
    ],
    [
      "author.givenName=x",
      { variables: [], body: author },
      "must be in the request body, not in the query",
    ],
  ])("%s", (query, scope, reason) => {
    expect(readWith(query, scope)).toThrow(reason);
  });

  test("a field next to that of a variable is accepted", () => {
    const [given] = author.message?.fields ?? [];
    if (!given) throw new Error("field is missing");
    const scope = { variables: [{ path: [author, given] as const }], body: undefined };
    expect(readWith("author.familyName=x", scope)).not.toThrow();
    expect(readWith("author.givenName=x", scope)).toThrow("is already in the path");
  });
});
