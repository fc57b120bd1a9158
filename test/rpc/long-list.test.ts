import { create, type Message, toBinary, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ListInventoryResponseSchema, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { rpcJson } from "../../src/contract/rpc-json.ts";
import { binarySlices, findList, jsonSlices } from "../../src/rpc/limits/long-list.ts";

function list() {
  const found = findList(ListInventoryResponseSchema);
  if (!found) throw new Error("the message has no list");
  return found;
}

function written(work: Generator<void, Uint8Array>) {
  let yields = 0;
  let step = work.next();
  for (; !step.done; yields += 1) step = work.next();
  return { data: Buffer.from(step.value), yields };
}

test.each([
  ["", 0n],
  ["next", 7n],
])(
  "a long list serialized in parts parses like one serialized whole (%s, %s)",
  (nextPageToken, version) => {
    const items = Array.from({ length: 1_000 }, (_, index) => ({
      petId: BigInt(index + 1),
      quantity: index,
      status: PetStatus.SOLD,
    }));
    const message = create(ListInventoryResponseSchema, { items, nextPageToken, version });
    const binary = written(binarySlices(list())(Object.freeze(message)));
    expect(binary).toEqual({
      data: Buffer.from(toBinary(ListInventoryResponseSchema, message)),
      yields: 4,
    });
    const write = (part: Message) => rpcJson.encodeJson(ListInventoryResponseSchema, part as never);
    const json = written(jsonSlices(list(), write)(message));
    expect(JSON.parse(json.data.toString())).toEqual(toJson(ListInventoryResponseSchema, message));
    expect(json.yields).toBe(4);
  },
);
