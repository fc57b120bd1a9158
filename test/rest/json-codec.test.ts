import { create, type DescEnum, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { httpJson } from "../../src/contract/http-json.ts";
import { unspecifiedNumber } from "../../src/rest/binding/enum-names.ts";
import { LegacySchema, TwinsSchema } from "./gen/shelf/v1/legacy_pb.ts";
import {
  BookSchema,
  Genre,
  GenreSchema,
  LendBookResponseSchema,
  SampleSchema,
} from "./gen/shelf/v1/shelf_pb.ts";
import { fault, fresh, sample } from "./support/faults.ts";
import { samples } from "./support/samples.ts";

describe("messages", () => {
  test("a written message is read unchanged", () => {
    fc.assert(
      fc.property(samples, (init) => {
        const message = create(SampleSchema, init);
        const json = httpJson.encodeJson(SampleSchema, message);
        expect(JSON.parse(json)).toBeTypeOf("object");
        expect(httpJson.decodeJson(SampleSchema, json)).toEqual(message);
      }),
      { numRuns: 200 },
    );
  });

  test("the JSON is that of protobuf-es, except for 64-bit integers, enums and defaults", () => {
    fc.assert(
      fc.property(samples, (init) => {
        const message = create(SampleSchema, init);
        const theirs = toJson(SampleSchema, message, { alwaysEmitImplicit: true });
        const json = JSON.stringify(theirs).replace(/"(?:GENRE|BINDING)_(\w+)"/g, (_, name) =>
          JSON.stringify(name.toLowerCase()),
        );
        expect(withTexts(fresh(httpJson).encodeJson(SampleSchema, message))).toEqual(
          withTexts(json),
        );
      }),
      { numRuns: 200 },
    );
  });

  /** Returns JSON with all numbers as strings, so that integers keep all digits, and without unspecified values. */
  function withTexts(json: string): unknown {
    return JSON.parse(json, (_, value, { source }: { source?: string } = {}) => {
      if (value === "unspecified") return undefined;
      if (typeof value !== "number") return value;
      return source !== undefined && /^-?\d+$/.test(source) ? `${BigInt(source)}` : `${value}`;
    });
  }
});

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
    const json = '{"byString":{"__proto__":5}}';
    const message = sample(json);
    expect(Object.getOwnPropertyDescriptor(message.byString, "__proto__")).toEqual({
      value: 5n,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    expect(httpJson.encodeJson(SampleSchema, message)).toContain('"byString":{"__proto__":5}');
  });

  test("-0, which is not the default", () => {
    const message = create(SampleSchema, { aDouble: -0 });
    expect(httpJson.encodeJson(SampleSchema, message)).toContain('"aDouble":-0,');
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
      expect(() => httpJson.encodeJson(SampleSchema, message)).toThrow(/^a field cannot hold /);
    }
    const long = { anInt64InString: '1,"x":2' };
    expect(() => httpJson.encodeJson(SampleSchema, create(SampleSchema, long))).toThrow(
      SyntaxError,
    );
  });
});

describe("enums", () => {
  test("httpJson reads short names only", () => {
    expect(sample('{"aGenre":"novel","aBinding":"paper"}')).toMatchObject({
      aGenre: 1,
      aBinding: 0,
    });
    for (const json of ['"GENRE_NOVEL"', '"Novel"', "1", "0", '"unspecified"', '""', "null"]) {
      expect(fault(`{"aGenre":${json}}`)).toBe('aGenre: must be one of "novel", "science_fiction"');
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
  });
});

test("a default of proto2 does not count as set", () => {
  expect(httpJson.encodeJson(LegacySchema, create(LegacySchema))).toBe('{"covers":[]}');
  expect(httpJson.encodeJson(LegacySchema, create(LegacySchema, { pages: 100 }))).toBe(
    '{"pages":100,"covers":[]}',
  );
});

describe("null", () => {
  test("is rejected by httpJson for every field", () => {
    for (const name of ["aString", "maybeInt32", "aSample", "manyInt64", "byString"]) {
      expect(fault(`{"${name}":null}`)).toMatch(new RegExp(`^${name}: must be`));
    }
  });
});

test("names: JSON names and proto names, but a field only once", () => {
  expect(sample('{"another_name":"x"}').renamed).toBe("x");
  expect(sample('{"renamed":"x"}').renamed).toBe("x");
  expect(fault('{"another_name":"x","renamed":"x"}')).toBe("renamed: is given twice; send it once");
});

test("an RPC-only field is not written", () => {
  const response = create(LendBookResponseSchema, { loan: "7", memo: "private" });
  expect(httpJson.encodeJson(LendBookResponseSchema, response)).toBe('{"loan":"7"}');
});
