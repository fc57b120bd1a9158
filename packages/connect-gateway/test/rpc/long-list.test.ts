import { create, type DescField, toBinary } from "@bufbuild/protobuf";
import { ListValueSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { noAnnotations } from "../../src/call/annotations.ts";
import { createJsonCodec } from "../../src/rest/json/codec.ts";
import { httpJsonStyle, rpcJsonStyle } from "../../src/rest/json/style.ts";
import { binaryCodec, jsonCodec } from "../../src/rpc/codec.ts";
import { inParts } from "../../src/rpc/limits/long-list.ts";
import { Genre, ListBooksResponseSchema, ShelfService } from "../gen/shelf/v1/shelf_pb.ts";

const books = Array.from({ length: 1_000 }, (_, index) => ({
  name: `books/${index + 1}`,
  copies: BigInt(index),
  genre: Genre.NOVEL,
}));
const numbers = books.map((_, value) => ({ kind: { case: "numberValue", value } as const }));
const isRpcOnly = ({ name }: { name: string }) => name === "books";

test.each([
  ["books", create(ListBooksResponseSchema, { books }), ListBooksResponseSchema],
  [
    "books and more",
    create(ListBooksResponseSchema, { books, nextPageToken: "next" }),
    ListBooksResponseSchema,
  ],
  ["a ListValue", create(ListValueSchema, { values: numbers }), ListValueSchema],
])("a long list serialized in parts is as one serialized whole: %s", async (_, message, output) => {
  const method = {
    ...ShelfService.method.listBooks,
    output,
  } as typeof ShelfService.method.listBooks;
  const { data } = await binaryCodec(method).write(message);
  expect(data).toEqual(Buffer.from(toBinary(output, message)));
  const hidden = { ...rpcJsonStyle, annotations: { ...noAnnotations, isRpcOnly } };
  for (const style of [rpcJsonStyle, httpJsonStyle, hidden]) {
    const json = createJsonCodec(style);
    const written = await jsonCodec(method, json).write(message);
    expect(written.data.toString()).toBe(json.encodeJson(output, message));
  }
});

test("other work can run after each 256 elements of a long list", () => {
  const [list] = ListBooksResponseSchema.fields;
  const write = () => new Uint8Array();
  const message = create(ListBooksResponseSchema, { books });
  expect([...inParts(message, list as DescField, write, write)]).toHaveLength(4);
});
