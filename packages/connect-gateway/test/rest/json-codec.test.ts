import { create, type DescEnum } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { unspecifiedNumber } from "../../src/rest/binding/enum-names.ts";
import { createJsonCodec, type JsonCodec } from "../../src/rest/json/codec.ts";
import { LegacySchema, TwinsSchema } from "../gen/shelf/v1/legacy_pb.ts";
import {
  BookSchema,
  Genre,
  GenreSchema,
  LendBookResponseSchema,
  SampleSchema,
} from "../gen/shelf/v1/shelf_pb.ts";
import { fault, sample } from "./support/faults.ts";
import { httpJson, protoJson } from "./support/json.ts";

describe("httpJson writes", () => {
  test("fields without presence always, and fields with presence when they are set", () => {
    expect(httpJson.encodeJson(BookSchema, create(BookSchema))).toBe(
      '{"name":"","title":"","copies":0,"tags":[]}',
    );
    const full = create(BookSchema, { rating: 0, genre: Genre.SCIENCE_FICTION, author: {} });
    expect(httpJson.encodeJson(BookSchema, full)).toBe(
      '{"name":"","title":"","copies":0,"rating":0,"genre":"science_fiction","author":{"givenName":"","familyName":""},"tags":[]}',
    );
  });

  test("an enum value without a name as its number, if it cannot be left out", () => {
    const message = create(SampleSchema, {
      maybeGenre: Genre.UNSPECIFIED,
      manyGenres: [0, 1, 77 as Genre],
      byBool: { true: 0 },
    });
    const json = JSON.parse(httpJson.encodeJson(SampleSchema, message));
    expect(json).toMatchObject({ manyGenres: [0, "novel", 77], byBool: { true: 0 } });
    expect(json).not.toHaveProperty("aGenre");
    expect(json).not.toHaveProperty("maybeGenre");
    // A zero value that is not UNSPECIFIED is an ordinary value.
    expect(json).toHaveProperty("aBinding", "paper");
  });

  test("__proto__ as an ordinary key", () => {
    const json = '{"byString":{"__proto__":5},"aStruct":{"__proto__":{"a":1}}}';
    const message = sample(json);
    expect(Object.getOwnPropertyDescriptor(message.byString, "__proto__")).toEqual({
      value: 5n,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    expect(httpJson.encodeJson(SampleSchema, message)).toContain('"byString":{"__proto__":5}');
    expect(httpJson.encodeJson(SampleSchema, message)).toContain('"aStruct":{"__proto__":{"a":1}}');
    expect(Object.prototype).not.toHaveProperty("a");
  });

  test('"0" is the default of an integer stored as a string, but not of a string', () => {
    const message = create(SampleSchema, { aString: "0", anInt64InString: "0" });
    expect(protoJson.encodeJson(SampleSchema, message)).toBe('{"aString":"0"}');
  });

  test("no value that its field cannot hold: it throws", () => {
    const wrong = { anInt32: 1.5 };
    expect(() => httpJson.encodeJson(SampleSchema, create(SampleSchema, wrong))).toThrow(TypeError);
    const text = { aDouble: "1" as unknown as number };
    expect(() => httpJson.encodeJson(SampleSchema, create(SampleSchema, text))).toThrow(TypeError);
    for (const init of [
      { anInt32: 2 ** 31 },
      { aUint32: -1 },
      { anInt64: 2n ** 63n },
      { aString: 5 },
      { manyStrings: [undefined] },
      { aBool: 1 },
      { aGenre: 1.5 },
    ]) {
      const message = create(SampleSchema, init as never);
      expect(() => httpJson.encodeJson(SampleSchema, message)).toThrow(
        /^field shelf.v1.Sample.[a-z0-9_]+ cannot be encoded: its value is /,
      );
    }
    for (const aStruct of [
      { a: Number.NaN },
      { a: [Number.POSITIVE_INFINITY] },
      { a: undefined },
    ]) {
      const message = create(SampleSchema, { aStruct: aStruct as never });
      expect(() => httpJson.encodeJson(SampleSchema, message)).toThrow(TypeError);
    }
    const long = { anInt64InString: '1,"x":2' };
    expect(() => httpJson.encodeJson(SampleSchema, create(SampleSchema, long))).toThrow(
      /^field shelf.v1.Sample.an_int64_in_string cannot be encoded: /,
    );
  });
});

describe("enums", () => {
  test("httpJson reads short names only", () => {
    expect(sample('{"aGenre":"novel","aBinding":"paper"}')).toMatchObject({
      aGenre: 1,
      aBinding: 0,
    });
    const oneOf = 'must be one of "novel", "science_fiction"';
    for (const json of ['"GENRE_NOVEL"', '"Novel"', '"unspecified"', '""']) {
      expect(fault(`{"aGenre":${json}}`)).toBe(`aGenre: has no value ${json}: ${oneOf}`);
    }
    for (const json of ["1", "0", "null"]) {
      expect(fault(`{"aGenre":${json}}`)).toBe(`aGenre: ${oneOf}`);
    }
  });

  test("all names of a value are read, and the first is written", () => {
    const { alias } = httpJson.decodeJson(LegacySchema, '{"alias":"primary"}');
    expect(httpJson.encodeJson(LegacySchema, create(LegacySchema, { alias }))).toBe(
      '{"alias":"first","covers":[]}',
    );
  });

  test.each([
    ["GENRE_UNSPECIFIED", 0],
    ["UNSPECIFIED", 0],
    ["GENRE_NOTUNSPECIFIED", undefined],
    ["GENRE_UNSPECIFIED_YET", undefined],
  ])("a zero value named %s is written as: %s", (name, expected) => {
    const [zero] = GenreSchema.values;
    const desc = { ...GenreSchema, value: { 0: { ...zero, name } } } as unknown as DescEnum;
    expect(unspecifiedNumber(desc)).toBe(expected);
  });

  test("two values with one short name throw when the codec is compiled", () => {
    expect(() => httpJson.decodeJson(TwinsSchema, "{}")).toThrow(
      "enum shelf.v1.Twin: two values have the short name a",
    );
    expect(protoJson.decodeJson(TwinsSchema, '{"twin":"TWIN_a"}').twin).toBe(2);
  });
});

test("a default of proto2 does not count as set", () => {
  expect(httpJson.encodeJson(LegacySchema, create(LegacySchema))).toBe('{"covers":[]}');
  expect(httpJson.encodeJson(LegacySchema, create(LegacySchema, { pages: 100 }))).toBe(
    '{"pages":100,"covers":[]}',
  );
});

describe("null", () => {
  test("is rejected by httpJson for every field where it is not a value", () => {
    for (const name of [
      "aString",
      "maybeInt32",
      "aSample",
      "manyInt64",
      "byString",
      "wrappedInt64",
    ]) {
      expect(fault(`{"${name}":null}`)).toMatch(new RegExp(`^${name}: must be`));
    }
    expect(sample('{"aNull":null,"aValue":null}')).toMatchObject({
      aNull: 0,
      aValue: { kind: { case: "nullValue" } },
    });
  });

  test("of NullValue is the only way to write it", () => {
    expect(fault('{"aNull":0}')).toBe("aNull: must be null");
    expect(sample('{"choiceNull":"NULL_VALUE"}').choice).toEqual({ case: "choiceNull", value: 0 });
  });
});

const codecs: JsonCodec[] = [
  httpJson,
  protoJson,
  createJsonCodec({ ...httpJson.style, emitDefaults: false }),
];
test.each(codecs)("defaults are sent as the style says: %#", (codec) => {
  const json = codec.encodeJson(SampleSchema, create(SampleSchema, { aString: "x" }));
  expect(json.includes('"aBool":false')).toBe(codec.style.emitDefaults);
  expect(json.includes('"manyStrings":[]')).toBe(codec.style.emitDefaults);
  expect(json).toContain('"aString":"x"');
});

test("an RPC-only field is not written", () => {
  const response = create(LendBookResponseSchema, { loan: "7", memo: "private" });
  expect(httpJson.encodeJson(LendBookResponseSchema, response)).toBe('{"loan":"7"}');
});
