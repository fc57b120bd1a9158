import { describe, expect, test } from "vitest";
import { parseTemplate } from "../../src/rest/path/template.ts";

type Case = readonly [
  template: string,
  segments: string,
  verb: string,
  variables: Readonly<Record<string, readonly [start: number, end: number]>>,
];

// Most of these are in the test suites of connectrpc/vanguard-go and grpc-ecosystem/grpc-gateway as well.
// Where those two disagree, the text of google/api/http.proto decides.
const valid: readonly Case[] = [
  ["/v1", "v1", "", {}],
  ["/f/bar", "f/bar", "", {}],
  ["/foo/bar/baz/buzz", "foo/bar/baz/buzz", "", {}],
  ["/v1/*", "v1/*", "", {}],
  ["/v1/**", "v1/**", "", {}],
  ["/**", "**", "", {}],
  ["/{_}", "*", "", { _: [0, 1] }],
  ["/{name}", "*", "", { name: [0, 1] }],
  ["/{name=*}", "*", "", { name: [0, 1] }],
  ["/{hello}/world", "*/world", "", { hello: [0, 1] }],
  ["/{name=a/b/*}", "a/b/*", "", { name: [0, 3] }],
  ["/{field.nested.nested2=*}", "*", "", { "field.nested.nested2": [0, 1] }],
  ["/v1/{name=shelves/*/books/*}", "v1/shelves/*/books/*", "", { name: [1, 5] }],
  ["/v1/{parent=shelves/*}/books", "v1/shelves/*/books", "", { parent: [1, 3] }],
  ["/v1/{book.name=shelves/*/books/*}", "v1/shelves/*/books/*", "", { "book.name": [1, 5] }],
  ["/foo/bar/{name}/baz/{child}", "foo/bar/*/baz/*", "", { name: [2, 3], child: [4, 5] }],
  [
    "/foo/bar/{name}/baz/{child.id}/buzz/{child.thing.id}",
    "foo/bar/*/baz/*/buzz/*",
    "",
    { name: [2, 3], "child.id": [4, 5], "child.thing.id": [6, 7] },
  ],
  [
    "/v1/b/{bucket_name=buckets/*}/o/{name}",
    "v1/b/buckets/*/o/*",
    "",
    { bucket_name: [2, 4], name: [5, 6] },
  ],
  [
    "/v1/{name.nested.nested2=a/b/*}/o/{another_name=a/b/*/c}/**",
    "v1/a/b/*/o/a/b/*/c/**",
    "",
    { "name.nested.nested2": [1, 4], another_name: [5, 9] },
  ],
  ["/foo/bar/*/{thing.id}/{cat=**}", "foo/bar/*/*/**", "", { "thing.id": [3, 4], cat: [4, -1] }],
  ["/foo/*/{thing.id}/{cat=**}:do", "foo/*/*/**", "do", { "thing.id": [2, 3], cat: [3, -1] }],
  ["/v1:watch", "v1", "watch", {}],
  ["/v3/events:clear", "v3/events", "clear", {}],
  ["/v3/{name=events/*}:cancel", "v3/events/*", "cancel", { name: [1, 3] }],
  ["/v1/a/{endpoint}:a", "v1/a/*", "a", { endpoint: [2, 3] }],
  // A literal can contain a colon, so a verb can too.
  ["/v1/a/{endpoint}:b:c", "v1/a/*", "b%3Ac", { endpoint: [2, 3] }],
  ["/v1/{name}:bla:baa", "v1/*", "bla%3Abaa", { name: [1, 2] }],
  ["/v1/foo:bla:baa", "v1/foo", "bla%3Abaa", {}],
  // A colon before the last segment does not start a verb. (vanguard-go rejects it.)
  ["/foo/bar:baz/buzz", "foo/bar%3Abaz/buzz", "", {}],
  ["/v1/{name=segment/wi:th}", "v1/segment/wi%3Ath", "", { name: [1, 3] }],
  ["/v1/{name=wi:th}:verb", "v1/wi%3Ath", "verb", { name: [1, 2] }],
  ["/v1/a=b&c=d;e=f:g/endpoint.rdf", "v1/a%3Db%26c%3Dd%3Be%3Df%3Ag/endpoint.rdf", "", {}],
  // RFC 3986, section 6.2.2: hex digits are in upper case, and unreserved characters are not encoded.
  ["/%e7%ac%ac%e4%b8%80", "%E7%AC%AC%E4%B8%80", "", {}],
  ["/%41%2d%7E%5f.x", "A-~_.x", "", {}],
  ["/foo/bar:baz%12xyz%abcde", "foo/bar", "baz%12xyz%ABcde", {}],
  [
    "/foo%2Fbar/%2A/%2A%2a/{starstar=%2A%2a/**}:%2c",
    "foo%2Fbar/%2A/%2A%2A/%2A%2A/**",
    "%2C",
    { starstar: [3, -1] },
  ],
];

const invalid: readonly (readonly [template: string, position: number, reason: string])[] = [
  ["", 1, 'expected "/"'],
  ["v1/{name}", 1, 'expected "/"'],
  ["foo/bar/baz", 1, 'expected "/"'],
  ["/", 2, "expected a segment"],
  ["//a", 2, "expected a segment"],
  ["/foo/bar/", 10, "expected a segment"],
  ["/%", 2, "expected a segment"],
  ["/%2", 2, "expected a segment"],
  ["/a%2z", 3, 'unexpected "%"'],
  ["/foo/bar%55:baz%1", 16, 'unexpected "%"'],
  ["/a?b", 3, 'unexpected "?"'],
  ["/foo/bar/baz?abc=def", 13, 'unexpected "?"'],
  ["/foo/bar/baz buzz", 13, 'unexpected " "'],
  ["/caf\u00e9", 5, 'unexpected "\u00e9"'],
  ["/foo/bar*", 9, 'unexpected "*"'],
  ["/foo/bar/***", 12, 'unexpected "*"'],
  ["/foo/*a", 7, 'unexpected "a"'],
  ["/foo/**/bar", 8, "only a verb may follow **"],
  ["/{a=**}/bar", 8, "only a verb may follow **"],
  ["/{a=**/bar}", 7, "only a verb may follow **"],
  // The grammar has no empty LITERAL. (grpc-gateway accepts it as no verb.)
  ["/v1/{name}:", 12, "expected a segment"],
  ["/v1/name:", 10, "expected a segment"],
  ["/v1{name}", 4, 'unexpected "{"'],
  ["/{name}x", 8, 'unexpected "x"'],
  ["/{1}", 3, "expected a field name"],
  ["/{-}", 3, "expected a field name"],
  ["/{}", 3, "expected a field name"],
  ["/{field.1}", 8, 'expected "}"'],
  ["/{name.}", 7, 'expected "}"'],
  ["/{name..nested}", 7, 'expected "}"'],
  ["/{field-}", 8, 'expected "}"'],
  ["/{field-name}", 8, 'expected "}"'],
  ["/foo/{bar/baz}/buzz", 10, 'expected "}"'],
  ["/{name", 7, 'expected "}"'],
  ["/{name=", 8, "expected a segment"],
  ["/{name=}", 8, "expected a segment"],
  ["/{name=*", 9, 'expected "}"'],
  ["/name}", 6, 'unexpected "}"'],
  ["/{a}/{a}", 8, "a is bound twice"],
  // "A variable template must not contain other variables." (vanguard-go accepts them.)
  ["/{a={b}/*}", 5, "a variable cannot contain another variable"],
];

describe("a valid path template", () => {
  test.each(valid)("%s", (text, segments, verb, variables) => {
    const template = parseTemplate(text);
    const texts = template.segments.map((segment) =>
      segment.kind === "literal" ? segment.text : segment.kind,
    );
    expect(texts.join("/")).toBe(segments);
    expect(template.verb).toBe(verb);
    expect(
      Object.fromEntries(
        template.variables.map(({ fieldPath, start, end }) => [fieldPath, [start, end]]),
      ),
    ).toEqual(variables);
  });

  test.each([
    ["/{a}", false],
    ["/{a=*}", false],
    ["/{a=b}", false],
    ["/{a=**}", true],
    ["/{a=b/*}", true],
    ["/{a=b/**}", true],
  ])("%s: the value can contain slashes: %s", (text, multi) => {
    expect(parseTemplate(text).variables[0]?.multi).toBe(multi);
  });
});

describe("the error for an invalid path template has the text and position", () => {
  test.each(invalid)("%s", (text, position, reason) => {
    expect(() => parseTemplate(text)).toThrow(
      `path template ${JSON.stringify(text)}, position ${position}: ${reason}`,
    );
  });
});
