import type { DescMessage } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { findUpdateMask } from "../../src/rest/binding/update-mask.ts";
import type { JsonCodec } from "../../src/rest/json/codec.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { bind, patch, type Rule } from "./support/bind.ts";
import { httpJson, protoJson } from "./support/json.ts";

const rpc = ShelfService.method;

describe("the update mask of a PATCH (AIP-134)", () => {
  const rule = patch("/{book.name}", "book");
  const maskOf = (body: string, query = "", codec: JsonCodec = httpJson, own: Rule = rule) => {
    const bound = bind(rpc.updateBook, own, `/x${query}`, body, codec);
    if (typeof bound === "string") throw new Error(bound);
    return (bound as { updateMask?: { paths: string[] } }).updateMask?.paths;
  };

  test.each([
    ['{"title":"a","rating":5}', ["title", "rating"]],
    ['{"publishedAt":"2024-01-01T00:00:00Z","tags":[]}', ["tags", "published_at"]],
    [
      '{"author":{"givenName":"a","teacher":{"family_name":"b"}}}',
      ["author.given_name", "author.teacher.family_name"],
    ],
    ['{"author":{}}', ["author"]],
    // The name identifies the book, so it is not updated.
    ['{"name":"x","title":"a"}', ["title"]],
    ["{}", []],
  ])("%s: %j", (body, paths) => {
    expect(maskOf(body)).toEqual(paths);
  });

  test("is not changed if the client sends it", () => {
    expect(maskOf('{"title":"a"}', "?updateMask=rating,author.givenName")).toEqual([
      "rating",
      "author.given_name",
    ]);
    expect(maskOf('{"title":"a"}', "?updateMask=")).toEqual(["title"]);
    expect(maskOf('{"title":"a"}', "?updateMask=*")).toEqual(["*"]);
  });

  test("contains fields that null removes, if null means unset (RFC 7396)", () => {
    expect(maskOf('{"author":null,"title":null}', "", protoJson)).toEqual(["title", "author"]);
  });

  test("is not derived without a body, for another method, or for a body that is the whole request", () => {
    expect(maskOf("")).toBeUndefined();
    const put: Rule = { pattern: { case: "put", value: "/{book.name}" }, body: "book" };
    expect(maskOf('{"title":"a"}', "", httpJson, put)).toBeUndefined();
    expect(
      maskOf('{"book":{"title":"a"}}', "", httpJson, patch("/{book.name}", "*")),
    ).toBeUndefined();
    expect(maskOf("true", "", httpJson, patch("/{book.name}", "allow_missing"))).toBeUndefined();
  });

  test("does not exist if the field of that name is missing or of another type", () => {
    const message = bind(rpc.createBook, patch("/{parent}", "book"), "/x", '{"title":"a"}');
    expect(message).toMatchObject({ updateMask: "" });
    const without = bind(rpc.echo, patch("/x", "sample"), "/x", '{"aBool":true}');
    expect(without).toMatchObject({ sample: { aBool: true } });
    expect(without).not.toHaveProperty("updateMask");
    const [book] = rpc.updateBook.input.fields;
    if (!book) throw new Error("field is missing");
    const other = { fields: [{ ...book, name: "update_mask" }] } as unknown as DescMessage;
    expect(findUpdateMask(other, book, [])).toBeUndefined();
    expect(bind(rpc.updateBook, patch("/{book.name}", ""), "/x")).toMatchObject({
      book: { name: "x" },
    });
  });
});
