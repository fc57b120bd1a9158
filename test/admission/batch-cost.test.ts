import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  BatchAdjustInventoryRequestSchema,
  BatchUpdateInventoryRequestSchema,
  ChangeReason,
  InventoryService,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { NodeHeaders } from "../../packages/connect-gateway/src/call/headers.ts";
import { type BatchCost, batchCostOf, requestBoundsOf } from "../../src/admission/batch-cost.ts";

const cost = batchCostOf(InventoryService.method.batchUpdateInventory) as BatchCost;
const schema = BatchUpdateInventoryRequestSchema;

const anId = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
const aQuantity = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const anUpdate = fc.oneof(
  fc.constant({ petId: 1n, quantity: 1 }),
  fc.record(
    { petId: anId, quantity: aQuantity, expectedVersion: anId, expectedQuantity: aQuantity },
    { requiredKeys: ["petId", "quantity"] },
  ),
  fc.constant({
    petId: 2n ** 63n - 1n,
    quantity: 2 ** 31 - 1,
    expectedVersion: 2n ** 63n - 1n,
    expectedQuantity: 2 ** 31 - 1,
  }),
);
const text = (length: number) =>
  fc.oneof(
    fc.constant(""),
    fc.constant("\u{1f422}".repeat(length)),
    fc.string({ maxLength: length }),
  );
const aBatch = fc.record({
  // Many updates, which are alike, so that their lengths add up.
  updates: fc
    .tuple(anUpdate, fc.integer({ min: 1, max: 1_000 }))
    .map(([update, times]) => Array.from({ length: times }, () => update)),
  reason: fc.constantFrom(ChangeReason.UNSPECIFIED, ChangeReason.ADJUSTMENT),
  note: text(500),
  reference: text(100),
  idempotencyKey: fc.constantFrom("", "k".repeat(255)),
});

const encodings = {
  binary: ["application/proto", (batch) => toBinary(schema, create(schema, batch))],
  JSON: ["application/json", (batch) => toJsonString(schema, create(schema, batch))],
  "JSON with the names of proto": [
    "application/json",
    (batch) => toJsonString(schema, create(schema, batch), { useProtoFieldName: true }),
  ],
} satisfies Record<string, [string, (batch: FcValue<typeof aBatch>) => Uint8Array | string]>;

test.each(Object.entries(encodings))(
  "the length of %s bounds the requests",
  (_, [type, encode]) => {
    const found = new Set<string>();
    fc.assert(
      fc.property(aBatch, (batch) => {
        const headers = { "content-type": type };
        const length = Buffer.byteLength(encode(batch));
        const requests = Math.ceil(batch.updates.length / 20);
        const { fewest, most } = requestBoundsOf(cost, new NodeHeaders(headers), length);
        expect([fewest <= requests, requests <= most]).toEqual([true, true]);
        if (fewest > 1) found.add("several requests");
        if (most < 50) found.add("fewer than the most of all calls");
      }),
    );
    expect(found.size).toBe(2);
  },
);

test("the length of adjustments bounds the requests, in binary and in JSON", () => {
  const ofAdjustments = batchCostOf(InventoryService.method.batchAdjustInventory) as BatchCost;
  const longest = {
    petId: 2n ** 63n - 1n,
    delta: -(2 ** 31),
    expectedVersion: 2n ** 63n - 1n,
    expectedQuantity: 2 ** 31 - 1,
  };
  for (const adjustment of [longest, { petId: 1n, delta: 1 }]) {
    for (let count = 20; count <= 1_000; count += 20) {
      const adjustments = Array.from({ length: count }, () => adjustment);
      const batch = create(BatchAdjustInventoryRequestSchema, { adjustments });
      const bodies = [
        ["application/proto", toBinary(BatchAdjustInventoryRequestSchema, batch)],
        ["application/json", toJsonString(BatchAdjustInventoryRequestSchema, batch)],
        ["application/json", `{"adjustments":[${Array(count).fill('{"petId":1,"delta":1}')}]}`],
      ] as const;
      for (const [type, body] of bodies) {
        const headers = { "content-type": type };
        const { fewest, most } = requestBoundsOf(
          ofAdjustments,
          new NodeHeaders(headers),
          Buffer.byteLength(body),
        );
        expect([fewest <= count / 20, count / 20 <= most]).toEqual([true, true]);
      }
    }
  }
});

test.each([
  ["compressed", { "content-encoding": "gzip" }, 30_000],
  ["compressed messages of gRPC", { "grpc-encoding": "gzip" }, 30_000],
  ["of unknown length", {}, undefined],
])("a body that is %s can count as 1 to 50 requests", (_, headers, length) => {
  expect(requestBoundsOf(cost, new NodeHeaders(headers), length)).toEqual({ fewest: 1, most: 50 });
});

type FcValue<T> = T extends fc.Arbitrary<infer V> ? V : never;
