import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  ListInventoryResponseSchema,
  UpdateInventoryRequestSchema,
  UpdateInventoryResponseSchema,
} from "../gen/inventory/v1/inventory_pb.ts";
import { petStatus } from "./item-status.ts";
import { benchItems } from "./items.ts";
import { type Call, freeCallers, holds } from "./load/call.ts";

/** The quantity that every update sets. */
const quantity = 42;
const path = "/inventory.v1.InventoryService";

function isList(count: number, list: unknown): boolean {
  return Array.isArray(list) && list.length === count && Number(list[0]?.petId) === 1;
}

/** `GET /v1/inventory`. */
export function httpList(count: number, headers: Call["headers"] = {}): Call {
  return {
    method: "GET",
    path: "/v1/inventory",
    headers,
    keys: freeCallers,
    status: 200,
    check: headers["accept-encoding"]
      ? holds("compressed", (body) => body.readUInt16BE() === 0x1f8b)
      : holds(`a list of ${count}`, (body) => isList(count, JSON.parse(body.toString()))),
  };
}

/** `PATCH /v1/inventory/{petId}`. */
export const httpUpdate: Call = {
  method: "PATCH",
  path: "/v1/inventory/{n}",
  headers: { "content-type": "application/json" },
  body: Buffer.from(JSON.stringify({ quantity })),
  keys: freeCallers,
  status: 200,
  check: holds("the item", (body) => JSON.parse(body.toString()).quantity === quantity),
};

/** A list request that is refused because the day limit of its caller is used up. */
export const httpRefused: Call = {
  ...httpList(10),
  keys: ({ spentKeys }) => spentKeys,
  status: 429,
  check: holds("a refusal", (body) => JSON.parse(body.toString()).status === 429),
};

/** ListInventory over Connect with JSON. */
export const connectJsonList: Call = {
  method: "POST",
  path: `${path}/ListInventory`,
  headers: { "content-type": "application/json", "connect-protocol-version": "1" },
  body: Buffer.from("{}"),
  keys: freeCallers,
  status: 200,
  check: holds("a list of 10", (body) => isList(10, JSON.parse(body.toString()).items)),
};

/** ListInventory over Connect with binary messages. The empty request has no bytes. */
export const connectBinaryList: Call = {
  ...connectJsonList,
  headers: { "content-type": "application/proto", "connect-protocol-version": "1" },
  body: Buffer.alloc(0),
  check: holds("a list of 10", (body) =>
    isList(10, fromBinary(ListInventoryResponseSchema, body).items),
  ),
};

const grpcHeaders = { "content-type": "application/grpc", te: "trailers" };

/** ListInventory over gRPC. */
export const grpcList: Call = {
  method: "POST",
  path: `${path}/ListInventory`,
  headers: grpcHeaders,
  body: grpcFrame(new Uint8Array()),
  keys: freeCallers,
  status: 200,
  check: holds("a list of 10", (body) =>
    isList(10, fromBinary(ListInventoryResponseSchema, body.subarray(5)).items),
  ),
};

/** UpdateInventory over gRPC. */
export const grpcUpdate: Call = {
  method: "POST",
  path: `${path}/UpdateInventory`,
  headers: grpcHeaders,
  body: grpcFrame(
    toBinary(
      UpdateInventoryRequestSchema,
      create(UpdateInventoryRequestSchema, { petId: 1n, update: { quantity } }),
    ),
  ),
  keys: freeCallers,
  status: 200,
  check: holds(
    "the item",
    (body) =>
      fromBinary(UpdateInventoryResponseSchema, body.subarray(5)).item?.quantity === quantity,
  ),
};

/** The fixed JSON list that a bare server sends. */
export function listBody(count: number): Buffer {
  return Buffer.from(JSON.stringify(benchItems(count)));
}

/** The fixed item that a bare server sends as the response to an update. */
export const itemBody = Buffer.from(JSON.stringify({ petId: 1, quantity, status: "available" }));

/** The fixed refusal that a bare server sends. It is as long as ours. */
export const refusalBody = Buffer.from(
  JSON.stringify({
    code: "resource_exhausted",
    message: "The limit of requests is reached. Try again in 86400 seconds.",
    status: 429,
  }),
);

/** The fixed gRPC list that a bare server sends. */
export function listFrame(): Buffer {
  const items = benchItems(10).map((item) => ({
    petId: BigInt(item.petId),
    quantity: item.quantity,
    status: petStatus(item.status),
  }));
  return grpcFrame(
    toBinary(ListInventoryResponseSchema, create(ListInventoryResponseSchema, { items })),
  );
}

/** Puts a message into a gRPC envelope: a flag (not compressed), the length, the message. */
function grpcFrame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.byteLength, 1);
  return Buffer.concat([head, message]);
}
