import { type DescMessage, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { noAnnotations } from "../../src/call/annotations.ts";
import { createJsonCodec } from "../../src/rest/json/codec.ts";
import { rpcJsonStyle } from "../../src/rest/json/style.ts";
import { binaryReader, jsonReader, type ReadMessage } from "../../src/rpc/codec.ts";
import { KindsSchema } from "../gen/shelf/v1/kinds_pb.ts";
import { SampleSchema } from "../gen/shelf/v1/shelf_pb.ts";
import {
  BatchStockRequestSchema,
  ListStockRequestSchema,
  UpdateStockRequestSchema,
} from "../gen/shelf/v1/stock_pb.ts";

function faultOf(desc: DescMessage, hex: string): string | undefined {
  try {
    binaryReader(desc)(Buffer.from(hex.replaceAll(" ", ""), "hex"));
    return undefined;
  } catch (error) {
    return ConnectError.from(error).rawMessage;
  }
}

const update = UpdateStockRequestSchema;
const batch = BatchStockRequestSchema;
const list = ListStockRequestSchema;

/** The tag of a field of a message, in hexadecimal. */
function tag(desc: DescMessage, name: string, wireType: number): string {
  const number = desc.fields.find((field) => field.name === name)?.number;
  if (number === undefined) throw new Error(`${desc} has no ${name}`);
  const value = number * 8 + wireType;
  const bytes = value < 0x80 ? [value] : [(value & 0x7f) | 0x80, value >> 7];
  return Buffer.from(bytes).toString("hex");
}

const has = (got: string, expected: string) =>
  `has the wire type ${got}, but the contract has ${expected}: encode the message by the service's proto files`;
const endsBehind = "is malformed: its last field or number ends behind it";

const kinds = KindsSchema;
// By https://protobuf.dev/programming-guides/encoding, int64, int32, bool and enum are VARINT, strings and messages LEN.
test.each<[DescMessage, string, string | undefined]>([
  [update, "08 17 12 02 08 03", undefined],
  [update, "08 17 12 02 0a 03", `update.quantity: ${has("LEN", "VARINT")}`],
  [update, "08 17 12 05 0d 03000000", `update.quantity: ${has("I32", "VARINT")}`],
  [update, "08 17 12 09 09 0300000000000000", `update.quantity: ${has("I64", "VARINT")}`],
  [update, "0a 17 12 02 08 03", `pet_id: ${has("LEN", "VARINT")}`],
  [update, "09 1700000000000000 12 02 08 03", `pet_id: ${has("I64", "VARINT")}`],
  [update, "08 17 10 02", `update: ${has("VARINT", "LEN")}`],
  [update, "08 17 13 08 03 14", `update: ${has("SGROUP", "LEN")}`],
  [update, "0c", `pet_id: ${has("EGROUP", "VARINT")}`],
  [
    update,
    `${tag(update, "idempotency_key", 0)} 01 61`,
    `idempotency_key: ${has("VARINT", "LEN")}`,
  ],
  // An unknown field may have any wire type.
  [update, "08 17 12 02 08 03 fa0f 01 61 f80f 01 fd0f 00000000 f90f 0000000000000000", undefined],
  [batch, "0a 04 08 01 10 03 0a 04 08 02 12 03", `updates[1].quantity: ${has("LEN", "VARINT")}`],
  [batch, "0a 02 0a 01", `updates[0].pet_id: ${has("LEN", "VARINT")}`],
  // Numbers in lists may be packed or not.
  [list, `${tag(list, "pet_ids", 2)} 02 01 02`, undefined],
  [list, `${tag(list, "pet_ids", 0)} 01 ${tag(list, "pet_ids", 0)} 02`, undefined],
  [list, `${tag(list, "pet_ids", 5)} 01000000`, `pet_ids: ${has("I32", "VARINT")}`],
  // A message or a packed list that ends within its last field.
  [update, "08 17 12 01 08 03", `update: ${endsBehind}`],
  [update, "08 17 12 03 1a 05 61 08 03 00 00", `update: ${endsBehind}`],
  [batch, "0a 04 08 01 10 03 0a 03 08 02 10 03", `updates[1]: ${endsBehind}`],
  [list, `${tag(list, "pet_ids", 2)} 02 01 82 01`, `pet_ids: ${endsBehind}`],
  [update, "08 17 12 05 08 03", `The message ${endsBehind}.`],
  [update, "08", `The message ${endsBehind}.`],
  [update, "fd0f 0000", `The message ${endsBehind}.`],
  [update, "fa0f 02 00", `The message ${endsBehind}.`],
  [update, "fb0f 08", `The message ${endsBehind}.`],
  // Other malformed fields.
  [update, "fc0f", "The message is malformed: it has an unknown field of the wire type EGROUP."],
  [update, "fe0f", "The message is malformed: it has an unknown field of the wire type 6."],
  [update, "00 00", "parse binary: illegal tag: field no 0 wire type 0"],
  [update, "fb0f 840f", "parse binary: invalid end group tag"],
  [update, "0b", `pet_id: ${has("SGROUP", "VARINT")}`],
  [update, "fb0f".repeat(101), "The message must have at most 100 levels of nesting."],
  [kinds, `${tag(kinds, "maybe_kind", 2)} 01 01`, `maybe_kind: ${has("LEN", "VARINT")}`],
  [kinds, `${tag(kinds, "kinds", 2)} 02 01 01`, undefined],
  [kinds, `${tag(kinds, "kinds", 0)} 01`, undefined],
  // The entry of a map has its key in field 1.
  [kinds, `${tag(kinds, "by_fixed32", 2)} 02 08 07`, `by_fixed32[0].key: ${has("VARINT", "I32")}`],
])("%s: %s", (desc, hex, fault) => {
  expect(faultOf(desc, hex)).toBe(fault);
});

const numbers = (count: number) => Array.from({ length: count }, () => 0);
const object = (count: number) =>
  Object.fromEntries(numbers(count).map((_, index) => [index, null]));

test.each<[string, (count: number) => JsonValue]>([
  ["aListValue", numbers],
  ["aListValue[0]", (count) => [numbers(count)]],
  ["aStruct", object],
  ["aStruct.a", (count) => ({ a: object(count) })],
  ["aValue", numbers],
  ["aValue.a", (count) => ({ a: numbers(count) })],
  ["choiceStruct", object],
  ["manyStructs[0]", (count) => [object(count)]],
])("%s has the bound of a list in JSON and in binary", (path, contentOf) => {
  const [name = ""] = path.split(/[.[]/);
  const faults = (count: number, annotations = noAnnotations) => {
    const json = { [name]: contentOf(count) };
    const binary = toBinary(SampleSchema, fromJson(SampleSchema, json));
    const codec = createJsonCodec({ ...rpcJsonStyle, annotations });
    const fault = (read: ReadMessage, data: Uint8Array) => {
      try {
        read(data);
        return undefined;
      } catch (error) {
        return /must have at most \d+ elements/.exec(`${error}`)?.[0];
      }
    };
    return [
      fault(jsonReader(SampleSchema, codec), Buffer.from(JSON.stringify(json))),
      fault(binaryReader(SampleSchema, annotations), binary),
    ];
  };
  const bounded = { ...noAnnotations, boundsOf: () => ({ maxItems: 10 }) };
  expect(faults(1_000)).toEqual([undefined, undefined]);
  expect(faults(1_001)).toEqual(Array(2).fill("must have at most 1000 elements"));
  expect(faults(10, bounded)).toEqual([undefined, undefined]);
  expect(faults(11, bounded)).toEqual(Array(2).fill("must have at most 10 elements"));
});
