import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { describeRoutes } from "../../src/api-docs/openapi/generator/describe-routes.ts";
import { writeJson } from "../../src/api-docs/openapi/generator/json.ts";
import type { JsonCodec } from "../../src/rest/json/codec.ts";
import { compileRoutes } from "../../src/rest/path/route.ts";
import { Binding, Genre, SampleSchema } from "../rest/gen/shelf/v1/shelf_pb.ts";
import { httpJson, protoJson } from "../rest/support/json.ts";
import { shelfMethods } from "../rest/support/shelf.ts";
import { parseExactly } from "./support/exact-json.ts";
import { documentSchemas } from "./support/schemas.ts";

const codecs: readonly (readonly [string, JsonCodec])[] = [
  ["the style of the HTTP API", httpJson],
  ["ProtoJSON", protoJson],
];

/** Describes the library of the transcoder's tests, which has every kind of rule and field. */
function describeShelf(codec: JsonCodec): string {
  const document = describeRoutes({
    routes: shelfMethods.flatMap((method) => compileRoutes(method, codec)),
    style: codec.style,
    comments: { "shelf.v1.ShelfService.GetBook": "Returns a book. Or not." },
    basePath: "/v1",
    about: { info: { title: "Library", version: "1" } },
    security: { name: "key", scheme: { type: "http", scheme: "bearer" } },
    headers: { "X-Age": { schema: { type: "integer" } } },
    successHeaders: ["X-Age"],
    errorSchema: { type: "object" },
    errors: [
      {
        status: 400,
        name: "Bad",
        description: "No good.",
        reasons: ["BAD"],
        headers: { always: [] },
      },
    ],
    notesOf: () => ({ tag: "library" }),
  });
  return writeJson(document);
}

/** An empty sample, a full one, and one with limits of types. */
const samples: readonly MessageInitShape<typeof SampleSchema>[] = [
  {},
  {
    aDouble: 1.5,
    aFloat: Number.NaN,
    anInt32: -(2 ** 31),
    anInt64: 9_223_372_036_854_775_807n,
    aUint64: 18_446_744_073_709_551_615n,
    aFixed32: 2 ** 32 - 1,
    aString: "text",
    someBytes: new Uint8Array([1, 2, 255]),
    aGenre: Genre.SCIENCE_FICTION,
    aBinding: Binding.CLOTH,
    maybeInt32: 0,
    manyInt64: [1n, -9_223_372_036_854_775_808n],
    manyGenres: [Genre.NOVEL],
    manySamples: [{ aSample: { aBool: true } }],
    byString: { a: 9_007_199_254_740_993n },
    byBool: { true: Genre.NOVEL },
    byUint64: { 1: { aString: "inner" } },
    choice: { case: "choiceInt64", value: 5n },
    aTimestamp: { seconds: 1_800_000_000n, nanos: 5_000_000 },
    aDuration: { seconds: -3n, nanos: -500_000_000 },
    aFieldMask: { paths: ["a_double", "a_float"] },
    aStruct: { free: ["form", null, { of: 1 }] },
    aListValue: { values: [{ kind: { case: "boolValue", value: true } }] },
    aValue: { kind: { case: "stringValue", value: "v" } },
    anEmpty: {},
    wrappedInt64: 7n,
    wrappedBytes: new Uint8Array([0]),
    manyWrapped: [{ value: 8n }],
    renamed: "renamed",
  },
];

describe.each(codecs)("a document of another contract, in %s", (_, codec) => {
  const text = describeShelf(codec);
  const document = JSON.parse(text);

  it("is valid by the schema of OpenAPI 3.1", async () => {
    expect(await new Validator().validate(document)).toEqual({ valid: true });
  });

  it("has all digits of every bound", () => {
    expect(text).not.toContain("9223372036854776");
    if (codec.style.numbersInStrings) return;
    expect(text).toContain('"minimum": -9223372036854775808,');
    expect(text).toContain('"maximum": 9223372036854775807\n');
    expect(text).toContain('"maximum": 18446744073709551615\n');
  });

  it.each(samples)("has schemas that match written JSON (%#)", (sample) => {
    const json = codec.encodeJson(SampleSchema, create(SampleSchema, sample));
    const check = documentSchemas(text).at("components", "schemas", "Sample");
    expect(check(parseExactly(json))).toEqual([]);
  });

  it("has a parameter for each wildcard of a path, and an id for each operation", () => {
    expect(Object.keys(document.paths)).toEqual([
      "/shelves/{name1}/books/{name2}",
      "/books/{isbn}",
      "/shelves/{parent}/books",
      "/books",
      "/shelves/{name1}/books/{name2}:lend",
      "/books/{isbn}/tags",
      "/books:count",
      "/files/{path}",
      "/probe/{name}",
      "/echo",
    ]);
    expect(document.paths["/books"].get.operationId).toBe("listBooks2");
    const { get, patch } = document.paths["/shelves/{name1}/books/{name2}"];
    expect(get.parameters.slice(0, 2)).toMatchObject([{ name: "name1" }, { name: "name2" }]);
    expect(patch.parameters.slice(0, 2)).toMatchObject([{ name: "name1" }, { name: "name2" }]);
  });

  it("lists the parameters of the query", () => {
    const { parameters } = document.paths["/shelves/{parent}/books"].get;
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
      "parent",
      "pageSize",
      "genres",
      "author.givenName",
      "author.familyName",
      "publishedAfter",
      "longerThan",
      "readMask",
      "lent",
      "first",
      "last",
      "pageToken",
    ]);
  });

  it("leaves fields of the path out of the body", () => {
    const { content } = document.paths["/shelves/{name1}/books/{name2}:lend"].post.requestBody;
    const name = content["application/json"].schema.$ref.split("/").at(-1);
    expect(name).toBe("LendBookRequest");
    const schema = document.components.schemas[name];
    expect(Object.keys(schema.properties)).toEqual(["reader", "period", "email", "phone"]);
    expect(schema.additionalProperties).toBe(false);
  });
});
