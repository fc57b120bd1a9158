import { describe, expect, test } from "vitest";
import { chooseBest, parseWeights } from "../../src/http/content/accept.ts";
import { matchesTag, weakenTag } from "../../src/http/content/caching.ts";
import { responseCoding } from "../../src/http/content/coding.ts";
import { parseMediaType } from "../../src/http/content/media-type.ts";
import { chooseStreamFormat } from "../../src/rest/response/stream-format.ts";

describe("weights (RFC 9110, section 12.4.2)", () => {
  test.each([
    ["a", { a: 1 }],
    ["A ; Q=0.5 , b;x=y;q=0.25,c;q=0", { a: 0.5, b: 0.25, c: 0 }],
    ["a;q=1.000, b;q=0.", { a: 1, b: 0 }],
    ["a;q=1.001, b;q=-1, c;q=0.1234, d;q=, e;q=x, ,", {}],
    ["", {}],
  ])("%s", (field, expected) => {
    expect(Object.fromEntries(parseWeights(field))).toEqual(expected);
  });

  test("only the first 100 entries are read", () => {
    const others = (count: number) => Array.from({ length: count }, (_, index) => `x${index}`);
    expect(parseWeights([...others(99), "a"].join()).get("a")).toBe(1);
    expect(parseWeights([...others(100), "a"].join()).get("a")).toBeUndefined();
  });

  test("the server's preference decides between equal weights, and weight 0 is never chosen", () => {
    const weights: Record<string, number> = { a: 0.5, b: 0.9, c: 0.9 };
    expect(chooseBest(["a", "c", "b"], (name) => weights[name] ?? 0)).toBe("c");
    expect(chooseBest(["x"], () => 0)).toBeUndefined();
  });
});

describe("content coding (RFC 9110, section 12.5.3)", () => {
  test.each([
    [undefined, undefined],
    ["", undefined],
    ["gzip", "gzip"],
    ["gzip, deflate, br", "br"],
    ["gzip, deflate, br, zstd", "zstd"],
    ["*", "zstd"],
    ["zstd;q=0, *", "br"],
    ["gzip;q=1, br;q=0.5", "gzip"],
    ["gzip;q=0.5, identity", undefined],
    ["identity;q=0.5, gzip;q=0.5", "gzip"],
    ["identity;q=0, *;q=0", undefined],
    ["deflate, compress", undefined],
    ["identity", undefined],
  ])("%s: %s", (field, expected) => {
    expect(responseCoding(field)?.name).toBe(expected);
  });
});

describe("format of a stream", () => {
  test.each([
    [undefined, "application/json"],
    ["*/*", "application/json"],
    ["application/x-ndjson", "application/x-ndjson"],
    ["text/event-stream", "text/event-stream"],
    ["text/*", "text/event-stream"],
    ["application/*", "application/json"],
    ["application/json;q=0.5, application/x-ndjson", "application/x-ndjson"],
    ["application/json;q=0, */*", "application/x-ndjson"],
    ["text/html", "application/json"],
  ])("%s: %s", (accept, expected) => {
    expect(chooseStreamFormat(accept).mediaType).toBe(expected);
  });
});

describe("If-None-Match (RFC 9110, section 13.1.2)", () => {
  test.each([
    ['"a"', '"a"', true],
    ['W/"a"', '"a"', true],
    ['"a"', 'W/"a"', true],
    ['"x", W/"a" , "y"', '"a"', true],
    [" * ", '"a"', true],
    ['"b"', '"a"', false],
    ["a", '"a"', false],
    ['"a,b"', '"b"', false],
    ["", '"a"', false],
  ])("%s against %s: %s", (field, tag, expected) => {
    expect(matchesTag(field, tag)).toBe(expected);
  });

  test("weakening a weak tag does not change it", () => {
    expect(weakenTag('"a"')).toBe('W/"a"');
    expect(weakenTag('W/"a"')).toBe('W/"a"');
  });
});

describe("Content-Type (RFC 9110, section 8.3)", () => {
  test.each([
    ["application/json", "application/json", undefined],
    [" Text/Plain ", "text/plain", undefined],
    ["a/b;charset=UTF-8", "a/b", "utf-8"],
    ['a/b; x="y" ; Charset="Utf-8"', "a/b", "utf-8"],
    ["a/b ; q=1", "a/b", undefined],
  ])("%s", (field, essence, charset) => {
    expect(parseMediaType(field)).toEqual({ essence, charset });
  });

  test.each(["json", "a/", "/b", "a/b/c", "a/b c", "a/b, c/d", ""])(
    "%j is not a media type",
    (field) => {
      expect(parseMediaType(field)).toBeUndefined();
    },
  );
});
