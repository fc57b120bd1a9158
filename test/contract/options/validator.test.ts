import { create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import {
  CreateAccountRequestSchema,
  CreateKeyRequestSchema,
  GetAccountRequestSchema,
  Plan,
  RotateKeyRequestSchema,
} from "../../../gen/admin/v1/admin_pb.ts";
import { ImportPetsRequestSchema } from "../../../gen/catalog/v1/catalog_pb.ts";
import {
  AdjustInventoryRequestSchema,
  ChangeReason,
  InventoryItemSchema,
  ListInventoryRequestSchema,
  PetStatus,
  UpdateInventoryRequestSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { compileValidator } from "../../../src/contract/validator.ts";

const ofUpdate = compileValidator(UpdateInventoryRequestSchema);
const ofItem = compileValidator(InventoryItemSchema);
const ofAccount = compileValidator(CreateAccountRequestSchema);
const ofKey = compileValidator(CreateKeyRequestSchema);
const ofImport = compileValidator(ImportPetsRequestSchema);
const item = { petId: 1n, quantity: 0, status: PetStatus.SOLD };

describe("a validator compiled from the contract", () => {
  test("reports no violation for a message at its bounds", () => {
    expect(ofItem(create(InventoryItemSchema, item))).toEqual([]);
    expect(
      ofUpdate(
        create(UpdateInventoryRequestSchema, {
          petId: 9223372036854775807n,
          update: { quantity: 2147483647 },
        }),
      ),
    ).toEqual([]);
  });

  test("reports missing required fields, nested ones by their path", () => {
    expect(ofUpdate(create(UpdateInventoryRequestSchema, { petId: 1n }))).toEqual([
      { field: "update", description: "is required" },
    ]);
    expect(ofUpdate(create(UpdateInventoryRequestSchema, { petId: 1n, update: {} }))).toEqual([
      { field: "update.quantity", description: "is required" },
    ]);
    expect(ofAccount(create(CreateAccountRequestSchema))).toEqual([
      { field: "name", description: "is required" },
      { field: "plan", description: "is required" },
    ]);
  });

  test.each([0n, -1n, -9223372036854775808n])("refuses the pet id %i", (petId) => {
    expect(ofItem(create(InventoryItemSchema, { ...item, petId }))).toEqual([
      { field: "pet_id", description: "must be between 1 and 9223372036854775807" },
    ]);
  });

  test("refuses only 0 where the contract excludes it", () => {
    const check = compileValidator(AdjustInventoryRequestSchema);
    const found = (delta: number) =>
      check(create(AdjustInventoryRequestSchema, { petId: 1n, delta }));
    expect(found(0)).toEqual([{ field: "delta", description: "must not be 0" }]);
    expect([-2147483648, -1, 1, 2147483647].flatMap(found)).toEqual([]);
  });

  test.each([1_000_001n, 2n ** 62n])("refuses %i requests a minute", (perMinute) => {
    const request = create(CreateAccountRequestSchema, {
      name: "n",
      plan: Plan.ENTERPRISE,
      limits: { perMinute, perDay: 1n },
    });
    expect(ofAccount(request)).toEqual([
      { field: "limits.per_minute", description: "must be between 1 and 1000000" },
    ]);
  });

  test("refuses an enum value that the contract does not define", () => {
    expect(ofItem(create(InventoryItemSchema, { ...item, status: 9 as PetStatus }))).toEqual([
      {
        field: "status",
        // Only RPC has numbers without a name, and it accepts no words.
        description:
          "has no value 9: must be one of PET_STATUS_AVAILABLE, PET_STATUS_PENDING, PET_STATUS_SOLD",
      },
    ]);
  });

  test.each([
    [ChangeReason.ORDER, "order"],
    [ChangeReason.IMPORT, "import"],
  ])("refuses the enum value %i, which is for responses only", (reason, word) => {
    const request = create(UpdateInventoryRequestSchema, {
      petId: 1n,
      update: { quantity: 1 },
      reason,
    });
    const description = `cannot be ${word}: must be one of arrival, return, adjustment, sale, damage, loss, count`;
    expect(ofUpdate(request)).toEqual([{ field: "reason", description }]);
  });

  test.each([
    ["x".repeat(200), 0],
    ["🐕".repeat(200), 0],
    ["x".repeat(201), 1],
    ["🐕".repeat(201), 1],
    ["x".repeat(401), 1],
  ])("counts the characters of a string, not its code units", (name, faults) => {
    const request = create(CreateAccountRequestSchema, { name, plan: Plan.FREE });
    expect(ofAccount(request)).toHaveLength(faults);
  });

  test.each(["", "ABCDEFGHIJKL", "aaaaaaaaaaaaa", "aaaaaaaaaaa\n"])(
    "matches the whole string with a pattern: refuses %j",
    (accountId) => {
      const ofGet = compileValidator(GetAccountRequestSchema);
      expect(ofGet(create(GetAccountRequestSchema, { accountId }))).toHaveLength(1);
    },
  );

  test("checks each element of a list, and reports it by its index", () => {
    const request = create(CreateKeyRequestSchema, {
      accountId: "aaaaaaaaaaaa",
      scopes: ["store:read", "root"],
    });
    expect(ofKey(request).map(({ field }) => field)).toEqual(["scopes[1]"]);
    const items = [item, { ...item, petId: 0n }, { petId: 3n, status: PetStatus.SOLD }];
    expect(ofImport(create(ImportPetsRequestSchema, { pets: items }))).toEqual([
      { field: "pets[1].pet_id", description: "must be between 1 and 9223372036854775807" },
      { field: "pets[2].quantity", description: "is required" },
    ]);
  });

  test.each([
    [0, "must have at least 1 element"],
    [501, "must have at most 500 elements"],
  ])("refuses a list of %i elements, which is out of bounds", (length, description) => {
    const items = Array.from({ length }, (_, i) => ({ ...item, petId: BigInt(i + 1) }));
    expect(ofImport(create(ImportPetsRequestSchema, { pets: items }))).toEqual([
      { field: "pets", description },
    ]);
  });

  test("refuses the first element that repeats an earlier value, and reports both", () => {
    const items = [1n, 2n, 1n, 1n].map((petId) => ({ ...item, petId }));
    expect(ofImport(create(ImportPetsRequestSchema, { pets: items }))).toEqual([
      {
        field: "pets[2].pet_id",
        description: "must be unique: the element at index 0 has the value 1, too",
      },
    ]);
  });

  test("refuses the first element that repeats an earlier one, and reports both", () => {
    const ofList = compileValidator(ListInventoryRequestSchema);
    const found = (petIds: bigint[]) => ofList(create(ListInventoryRequestSchema, { petIds }));
    expect(found([1n, 2n, 1n, 1n])).toEqual([
      {
        field: "pet_ids[2]",
        description: "must be unique: the element at index 0 has the value 1, too",
      },
    ]);
    expect(found([1n, 2n, 9_007_199_254_740_993n])).toEqual([]);
  });

  test.each([
    { seconds: -62_135_596_800n, nanos: 0, faults: 0 },
    { seconds: 253_402_300_799n, nanos: 999_999_999, faults: 0 },
    { seconds: -62_135_596_801n, nanos: 0, faults: 1 },
    { seconds: 253_402_300_800n, nanos: 0, faults: 1 },
    { seconds: 2n ** 63n - 1n, nanos: 0, faults: 1 },
    { seconds: 0n, nanos: -1, faults: 1 },
    { seconds: 0n, nanos: 1_000_000_000, faults: 1 },
  ])(
    "finds a timestamp that is out of range: $seconds s, $nanos ns",
    ({ faults, ...expiresAt }) => {
      const request = create(CreateKeyRequestSchema, { accountId: "aaaaaaaaaaaa", expiresAt });
      expect(ofKey(request).map(({ field }) => field)).toEqual(Array(faults).fill("expires_at"));
    },
  );

  test.each([
    { seconds: 315_576_000_000n, nanos: 999_999_999, faults: 0 },
    { seconds: -315_576_000_000n, nanos: -999_999_999, faults: 0 },
    { seconds: 315_576_000_001n, nanos: 0, faults: 1 },
    { seconds: -315_576_000_001n, nanos: 0, faults: 1 },
    { seconds: 0n, nanos: 1_000_000_000, faults: 1 },
    { seconds: 0n, nanos: -1_000_000_000, faults: 1 },
    { seconds: 1n, nanos: -1, faults: 1 },
    { seconds: -1n, nanos: 1, faults: 1 },
  ])("finds a duration that is out of range: $seconds s, $nanos ns", ({ faults, ...grace }) => {
    const request = create(RotateKeyRequestSchema, { keyId: "a".repeat(20), grace });
    const ofRotation = compileValidator(RotateKeyRequestSchema);
    expect(ofRotation(request).map(({ field }) => field)).toEqual(Array(faults).fill("grace"));
  });

  test("accepts any value in a field without a rule", () => {
    const ofRotation = compileValidator(RotateKeyRequestSchema);
    const request = create(RotateKeyRequestSchema, {
      keyId: "a".repeat(20),
      grace: durationFromMs(-5),
    });
    expect(ofRotation(request)).toEqual([]);
  });
});
