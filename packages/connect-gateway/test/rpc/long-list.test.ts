import { create, type Message, toBinary, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { findList, inParts } from "../../src/rpc/limits/long-list.ts";
import { Genre, ListBooksResponseSchema } from "../gen/shelf/v1/shelf_pb.ts";
import { rpcJson } from "../rest/support/json.ts";

function list() {
  const found = findList(ListBooksResponseSchema);
  if (!found) throw new Error("the message has no list");
  return found;
}

function written(work: Generator<void, Uint8Array>) {
  let yields = 0;
  let step = work.next();
  for (; !step.done; yields += 1) step = work.next();
  return { data: Buffer.from(step.value), yields };
}

test.each(["", "next"])(
  "a long list serialized in parts parses like one serialized whole (%j)",
  (nextPageToken) => {
    const books = Array.from({ length: 1_000 }, (_, index) => ({
      name: `books/${index + 1}`,
      copies: BigInt(index),
      genre: Genre.NOVEL,
    }));
    const message = create(ListBooksResponseSchema, { books, nextPageToken });
    const toBytes = (part: Message) => toBinary(ListBooksResponseSchema, part as never);
    const binary = written(inParts(Object.freeze(message), list(), toBytes));
    expect(binary).toEqual({
      data: Buffer.from(toBinary(ListBooksResponseSchema, message)),
      yields: 4,
    });
    const write = (part: Message) => rpcJson.encodeJson(ListBooksResponseSchema, part as never);
    const json = written(inParts(message, list(), write));
    expect(JSON.parse(json.data.toString())).toEqual(toJson(ListBooksResponseSchema, message));
    expect(json.yields).toBe(4);
  },
);
