import { type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import {
  BatchUpdateInventoryRequestSchema,
  GetInventoryItemRequestSchema,
  ListInventoryRequestSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { bounds } from "../../gen/rules/v1/rules_pb.ts";
import { bindRoutes } from "../../packages/connect-gateway/src/call/routes.ts";
import { binaryReader, jsonReader } from "../../packages/connect-gateway/src/rpc/codec.ts";
import {
  fieldsOf,
  maxElements,
  spareFields,
} from "../../packages/connect-gateway/src/rpc/limits/binary-scan.ts";
import { SampleSchema } from "../../packages/connect-gateway/test/gen/shelf/v1/shelf_pb.ts";
import { present } from "../../src/common/present.ts";
import { rpcJson } from "../../src/contract/json.ts";
import { servicesOn } from "../support/services.ts";

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

const wire = { varint: 0, bit64: 1, bytes: 2, group: 3, endGroup: 4, bit32: 5 } as const;

function tag(field: number, type: number): number[] {
  return varint(field * 8 + type);
}

function bytesField(field: number, content: readonly number[]): number[] {
  return [...tag(field, wire.bytes), ...varint(content.length), ...content];
}

function times(count: number, bytes: readonly number[]): number[] {
  return Array.from({ length: count }, () => bytes).flat();
}

/** Reads a message. @returns the message of the error; undefined when the message is accepted */
function refusal(desc: DescMessage, data: readonly number[] | string): string | undefined {
  try {
    if (typeof data === "string") jsonReader(desc, rpcJson)(Buffer.from(data));
    else binaryReader(desc)(Uint8Array.from(data));
    return undefined;
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    expect(code).toBe(Code.InvalidArgument);
    return rawMessage;
  }
}

const batch = BatchUpdateInventoryRequestSchema;
const get = GetInventoryItemRequestSchema;
const listInventory = ListInventoryRequestSchema;
const unknown = [...tag(15, wire.varint), 0];
const tooManyFields = expect.stringContaining("too many fields that are unknown");
const tooManyPaths = "read_mask: must have at most 1000 elements";
const tooManyUnknown = expect.stringContaining("must have at most 5000 values in unknown fields");
const notAPetId = "pet_id: must be an integer between 1 and 9223372036854775807";
const tooLongMask = "read_mask: must have at most 8192 characters";
const tooDeep = "x: must have at most 32 levels of nesting";
const [group, endGroup] = [tag(15, wire.group), tag(15, wire.endGroup)];
const tooManyUpdates = "updates: must have at most 1000 elements";

describe("the check of a binary message", () => {
  test.each([
    ["a thousand updates", batch, times(1_000, bytesField(1, [])), undefined],
    ["one update more", batch, times(1_001, bytesField(1, [])), tooManyUpdates],
    ["an unknown field in each update", batch, times(1_000, bytesField(1, unknown)), undefined],
    ["a few unknown fields", get, times(spareFields + fieldsOf(get), unknown), undefined],
    ["one more", get, times(spareFields + fieldsOf(get) + 1, unknown), tooManyFields],
    ["unknown fields of no length", get, times(1_000, bytesField(15, [])), tooManyFields],
    ["a known field often", get, times(1_000, [...tag(1, wire.varint), 1]), tooManyFields],
    ["unknown fields in an update", batch, bytesField(1, times(1_000, unknown)), tooManyFields],
    ["groups", get, times(1_000, [...group, ...endGroup]), tooManyFields],
    ["fields in a group", get, [...group, ...times(1_000, unknown), ...endGroup], tooManyFields],
    ["one long unknown field", get, bytesField(15, times(60_000, [0])), undefined],
  ] as const)("%s", (_, desc, data, expected) => {
    expect(refusal(desc, data)).toEqual(expected);
  });

  test("elements of packed fields and maps count", () => {
    const packed = SampleSchema.fields.find(
      ({ fieldKind, scalar }) => fieldKind === "list" && scalar === ScalarType.INT64,
    );
    const map = SampleSchema.fields.find(({ fieldKind }) => fieldKind === "map");
    if (!packed || !map) throw new Error("the sample has no such fields");
    const tooMany = (name: string) => `${name}: must have at most 1000 elements`;
    expect(refusal(SampleSchema, bytesField(packed.number, times(1_001, [0])))).toBe(
      tooMany(packed.name),
    );
    expect(refusal(SampleSchema, bytesField(packed.number, times(800, [0])))).toBe(undefined);
    expect(refusal(SampleSchema, times(1_001, bytesField(map.number, [])))).toBe(tooMany(map.name));
  });
});

test("all lists of a binary message together have a most number of elements", () => {
  const lists = SampleSchema.fields.filter(
    ({ fieldKind, scalar, message }) =>
      fieldKind === "list" && (message || scalar === ScalarType.STRING),
  );
  const full = lists.slice(0, maxElements / 1_000).flatMap(({ number }) => {
    return times(1_000, bytesField(number, []));
  });
  expect(refusal(SampleSchema, full)).toBe(undefined);
  const { name, number } = present(lists.at(-1), "a list");
  expect(refusal(SampleSchema, [...full, ...bytesField(number, [])])).toBe(
    `${name}: must have at most ${maxElements} elements with all other lists`,
  );
});

describe("the check of a message in JSON", () => {
  const list = (count: number, text: string) => `{"updates":[${Array(count).fill(text)}]}`;
  const object = (names: readonly unknown[]) => `{${names.map((name) => `"${name}":1`)}}`;
  /** Objects whose members all have different names. */
  const objects = (count: number, members: number) =>
    Array.from({ length: count }, (_, n) =>
      object(Array.from({ length: members }, (_, m) => `a${n}-${m}`)),
    );
  const names = ["petId", "quantity", "expectedVersion", "expectedQuantity"];
  const inAnyOrder = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      object(names.toSorted((a, b) => ((a.length * (n + 1)) % 7) - ((b.length * (n + 1)) % 7))),
    );
  test.each([
    ["a thousand updates", batch, list(1_000, '{"petId":"1","x":[1,2]}'), undefined],
    ["one update more", batch, list(1_001, '{"petId":"1"}'), tooManyUpdates],
    ["brackets and commas in a string", batch, `{"note":"${"[,{".repeat(3_000)}"}`, undefined],
    ["an escaped quote in a string", batch, `{"note":"${'\\",['.repeat(3_000)}"}`, undefined],
    [
      "a few unknown members",
      get,
      `{${Array.from({ length: 50 }, (_, n) => `"a${n}":1`)}}`,
      undefined,
    ],
    ["five thousand unknown members", get, object([...Array(5_000).keys()]), undefined],
    ["one unknown member more", get, object([...Array(5_001).keys()]), tooManyUnknown],
    ["5,000 values in unknown members", get, `{"a":[${Array(4_998).fill(1)}],"b":1}`, undefined],
    ["one value more", get, `{"a":[${Array(4_999).fill("{}")}],"b":1}`, tooManyUnknown],
    [
      "many unknown members in a thousand updates",
      batch,
      list(1_000, object([..."abcdefghijk"])),
      expect.stringMatching(/^updates\[454\]\.g: must have at most 5000 values in unknown/),
    ],
    ["different members in each of forty objects", batch, `{"x":[${objects(40, 100)}]}`, undefined],
    ["known members in any order", batch, `{"updates":[${inAnyOrder(1_000)}]}`, undefined],
    ["a thousand paths", listInventory, `{"readMask":"${"aB,".repeat(999)}a"}`, undefined],
    ["one path more", listInventory, `{"readMask":"${"aB,".repeat(1_000)}a"}`, tooManyPaths],
    [
      "commas that are escaped, under an escaped name",
      listInventory,
      `{"read\\u004dask":"${"a\\u002c".repeat(1_000)}a"}`,
      tooManyPaths,
    ],
    ["a mask of capitals", listInventory, `{"read_mask":"${"A".repeat(8_193)}"}`, tooLongMask],
    ["a long mask", listInventory, `{"readMask":"${"A".repeat(8_192)}"}`, undefined],
    ["nesting", get, `{"x":${"[".repeat(31)}1${"]".repeat(31)}}`, undefined],
    ["deeper nesting", get, `{"x":${"[".repeat(1_000)}`, tooDeep],
    ["a long number in an unknown member", get, `{"x":${"9".repeat(60_000)}}`, undefined],
    ["a long number", get, `{"petId":${"9".repeat(60_000)}}`, notAPetId],
    ["a long quoted number", get, `{"petId":"${"9".repeat(60_000)}"}`, notAPetId],
  ] as const)("%s", (_, desc, json, expected) => {
    expect(refusal(desc, json)).toEqual(expected);
  });
});

test("no valid string of a request with a mask is longer than a mask may be", () => {
  const masked = bindRoutes(servicesOn())
    .map(({ desc }) => desc.input)
    .filter(({ fields }) => fields.some(({ message }) => message === FieldMaskSchema));
  expect(masked).toContain(listInventory);
  for (const { fields } of masked) {
    for (const field of fields.filter(({ scalar }) => scalar === ScalarType.STRING)) {
      expect(getOption(field, bounds).maxLength).toBeLessThanOrEqual(1_000);
    }
  }
});

test("the contract bounds every list of a request", () => {
  const seen = new Set<DescMessage>();
  const unbounded: string[] = [];
  const visit = (desc: DescMessage): void => {
    if (seen.has(desc) || desc.typeName.startsWith("google.protobuf.")) return;
    seen.add(desc);
    for (const field of desc.fields) {
      const isList = field.fieldKind === "list" || field.fieldKind === "map";
      if (isList && getOption(field, bounds).maxItems === undefined) unbounded.push(String(field));
      if (field.message) visit(field.message);
    }
  };
  for (const { desc } of bindRoutes(servicesOn())) visit(desc.input);
  expect(unbounded).toEqual([]);
});
