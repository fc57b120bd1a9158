import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import {
  PetStatus,
  type WatchInventoryResponse,
  WatchInventoryResponseSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { createPreencoder } from "../../src/rpc/preencoded.ts";
import { readyEvent, snapshotEvent } from "../../src/services/watch/watch-message.ts";

const desc = WatchInventoryResponseSchema;
const items = [1n, 2n].map((petId) => ({ petId, quantity: 5, status: PetStatus.PENDING }));

it.each<[string, WatchInventoryResponse]>([
  ["a long field", snapshotEvent(items, [3n])],
  ["several fields", readyEvent(1_795_275_631_650_021n)],
  ["no fields", create(desc)],
])("a preencoded message with %s has the same binary encoding", (_, message) => {
  const { message: sent, bytes } = createPreencoder(desc)(Object.freeze(message));
  expect(bytes).toBe(toBinary(desc, message).length);
  expect(toBinary(desc, sent as WatchInventoryResponse)).toEqual(toBinary(desc, message));
  expect(fromBinary(desc, toBinary(desc, sent as WatchInventoryResponse))).toEqual(message);
});

it("a frozen message is encoded once", () => {
  const preencode = createPreencoder(desc);
  const message = Object.freeze(snapshotEvent(items));
  expect(preencode(message).message).not.toBe(message);
  expect(preencode(message)).toBe(preencode(message));
});

it("a message that can still change is not preencoded", () => {
  const message = snapshotEvent(items);
  expect(createPreencoder(desc)(message)).toEqual({ message, bytes: 0 });
  expect(createPreencoder(desc)(message).message).toBe(message);
});
