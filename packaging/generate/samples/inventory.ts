import type { JsonObject } from "@bufbuild/protobuf";
import type { InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "../../../gen/store/v1/store_pb.ts";
import { serverDraining } from "../../../src/contract/server-errors.ts";
import {
  changeTooLarge,
  quantityMismatch,
  stockTooSmall,
} from "../../../src/services/inventory/errors.ts";
import { type BatchField, batchError } from "../../../src/services/inventory/refusals.ts";
import {
  watchCapacityReached,
  watchExpired,
  watchLimitReached,
} from "../../../src/services/watch/errors.ts";
import type { CountRefusal, Refusal } from "../../../src/stores/stock-change.ts";
import { unknownOrigin } from "../../../src/stores/stock-change.ts";
import {
  example,
  type Given,
  longNote,
  longReference,
  type SamplesOf,
  versionAt,
} from "./sample.ts";

/** The longest texts of a change, and a new idempotency key. */
const texts = ({ number }: Given) => ({
  note: longNote,
  reference: longReference,
  idempotencyKey: `key-${number()}-${"k".repeat(200)}`,
});
const origin = { reason: "CHANGE_REASON_RETURN" };
const onePet = ({ pets }: Given) => pets(1, 600)[0] ?? "";

function batches(make: (given: Given, pets: readonly string[]) => JsonObject) {
  const batch = (count: number) => (given: Given) => ({
    ...texts(given),
    ...make(given, given.pets(count, 1_000)),
  });
  return { "20 items": batch(20), "1,000 items": batch(1_000) };
}

/** Returns the error of a batch with one refused row. */
const rowError = (list: BatchField, refusal: Refusal | CountRefusal) =>
  batchError(list, { kind: "refused", refusals: [{ index: 0, refusal }], total: 1 });

const hold = { holdId: "cart-7", items: [{ petId: "1", quantity: 4 }] };

export const inventorySamples: SamplesOf<typeof InventoryService> = {
  listInventory: {
    request: { pageSize: 100 },
    responses: example("stock", "A stock of three pets.", [
      item(1, 12),
      item(2, 7, "pending"),
      item(3, 0, "sold"),
    ]),
    largest: {
      "the whole list": "is served from memory, and grows with the stock",
      "a page of 1,000": () => ({ pageSize: 1_000 }),
      "a page of a selection that matches nothing": () => ({
        pageSize: 1_000,
        status: "PET_STATUS_SOLD",
      }),
    },
  },
  updateInventory: {
    request: { petId: "1", update: { quantity: 12 } },
    bodies: {
      ...example("arrival", "New arrivals.", { quantity: 12 }),
      ...example("soldOut", "None left.", { quantity: 0 }),
    },
    responses: example("arrival", "After new arrivals.", item(1, 12)),
    errors: [
      {
        error: quantityMismatch(1n, 12),
        request: { petId: "1", update: { quantity: 5 }, expectedQuantity: 11 },
      },
    ],
    largest: {
      "": (given) => ({
        ...{ ...origin, ...texts(given) },
        ...{ petId: onePet(given), update: { quantity: given.number() } },
      }),
    },
  },
  getInventoryItem: {
    request: { petId: "1" },
    responses: example("pet", "One pet.", item(1, 12)),
    largest: { "": (given) => ({ petId: onePet(given) }) },
  },
  listStockLevels: {
    request: { pageSize: 100 },
    responses: example("levels", "Two pets, of which one has held units.", [
      { petId: 1, quantity: 8, held: 4, onHand: 12 },
      { petId: 2, quantity: 7, held: 0, onHand: 7 },
    ]),
    largest: { "a page of 1,000": () => ({ pageSize: 1_000 }) },
  },
  adjustInventory: {
    request: { petId: "1", delta: -2, note: "Moved to the vet." },
    bodies: {
      ...example("arrival", "Three more arrived.", {
        ...{ delta: 3, reason: "arrival" },
        reference: "PO-17",
      }),
      ...example("damage", "One less.", { delta: -1, note: "Moved to the vet." }),
    },
    responses: example("arrival", "After new arrivals.", item(1, 15)),
    errors: [
      { error: stockTooSmall(1n, 13, 12), request: { petId: "1", delta: -13 } },
      {
        error: changeTooLarge(1n, 2_147_483_647, 12, 0),
        request: { petId: "1", delta: 2_147_483_647 },
      },
      {
        error: quantityMismatch(1n, 12),
        request: { petId: "1", delta: 1, expectedQuantity: 11 },
      },
    ],
    largest: {
      "": (given) => ({ ...origin, ...texts(given), petId: onePet(given), delta: 1 }),
    },
  },
  batchUpdateInventory: {
    request: {
      updates: [
        { petId: "1", quantity: 11 },
        { petId: "2", quantity: 7 },
      ],
    },
    bodies: example("count", "The result of a count.", {
      updates: [
        { petId: 1, quantity: 11, expectedQuantity: 12 },
        { petId: 2, quantity: 7, expectedQuantity: 3 },
      ],
      note: "Annual count",
    }),
    responses: example("count", "After the count.", {
      items: [
        { item: item(1, 11), version: versionAt(4) },
        { item: item(2, 7), version: versionAt(5) },
      ],
    }),
    errors: [
      {
        error: rowError("updates", { kind: "quantity_mismatch", version: 1n, quantity: 12 }),
        example: "UPDATED_QUANTITY_MISMATCH",
        request: { updates: [{ petId: "1", quantity: 0, expectedQuantity: 11 }] },
      },
    ],
    largest: batches(({ number }, pets) => ({
      ...origin,
      updates: pets.map((petId) => ({ petId, quantity: 1_000_000_000 + number() })),
    })),
  },
  batchAdjustInventory: {
    request: {
      adjustments: [
        { petId: "1", delta: -3 },
        { petId: "2", delta: 3 },
      ],
    },
    bodies: example("transfer", "Three units move to pet 1.", {
      adjustments: [
        { petId: 2, delta: -3 },
        { petId: 1, delta: 3 },
      ],
      reference: "T-17",
    }),
    responses: example("transfer", "After the transfer.", {
      items: [
        { item: item(2, 4), version: versionAt(6) },
        { item: item(1, 14), version: versionAt(6) + 1 },
      ],
    }),
    errors: [
      {
        error: rowError("adjustments", { kind: "too_small", quantity: 12 }),
        example: "ROW_STOCK_TOO_SMALL",
        request: { adjustments: [{ petId: "1", delta: -13 }] },
      },
      {
        error: rowError("adjustments", { kind: "too_large", quantity: 12, held: 0 }),
        example: "ROW_STOCK_TOO_LARGE",
        request: { adjustments: [{ petId: "1", delta: 2_147_483_647 }] },
      },
      {
        error: rowError("adjustments", { kind: "quantity_mismatch", version: 1n, quantity: 12 }),
        example: "ROW_QUANTITY_MISMATCH",
        request: { adjustments: [{ petId: "1", delta: 1, expectedQuantity: 11 }] },
      },
    ],
    largest: batches((_, pets) => ({
      ...origin,
      adjustments: pets.map((petId) => ({ petId, delta: 1 })),
    })),
  },
  countInventory: {
    request: {
      counts: [
        { petId: "1", counted: 11 },
        { petId: "2", counted: 7 },
      ],
    },
    bodies: example("shelf", "The count of a shelf.", {
      counts: [{ petId: 1, counted: 11 }],
      note: "Annual count",
    }),
    responses: example("shelf", "After the count: four of the eleven are held.", {
      items: [{ item: item(1, 7), version: versionAt(7) }],
    }),
    errors: [
      {
        error: rowError("counts", { kind: "below_held", held: 4 }),
        request: { counts: [{ petId: "1", counted: 3 }] },
        after: [[StoreService.method.putHold, hold]],
      },
      {
        error: rowError("counts", { kind: "on_hand_mismatch", onHand: 12 }),
        example: "ON_HAND_MISMATCH",
        request: { counts: [{ petId: "1", counted: 1, expectedOnHand: 11 }] },
      },
    ],
    largest: batches(({ number }, pets) => ({
      counts: pets.map((petId) => ({ petId, counted: 1_000_000_000 + number() })),
    })),
  },
  listInventoryChanges: {
    request: { pageSize: 100 },
    responses: example("changes", "Two changes, with a token for more.", {
      changes: [change(5, 2, 0, 7), change(4, 1, 12, 11)],
      nextPageToken: Buffer.from(`version ${versionAt(3)}`).toString("base64url"),
    }),
    largest: {
      async "200 changes with the longest notes"(given) {
        const { accountId, index, stores } = given;
        const texts = { note: longNote, reference: longReference };
        for (let at = 0; index === 0 && at < 200; at += 1) {
          const origin = { ...unknownOrigin, ...texts, accountId };
          await stores.inventory.change({ petId: BigInt(onePet(given)), delta: 1 }, { origin });
        }
        return { pageSize: 200 };
      },
    },
  },
  listItemChanges: {
    request: { petId: "1", pageSize: 100 },
    responses: example("changes", "All changes.", {
      changes: [change(4, 1, 12, 11), change(1, 1, undefined, 12)],
      nextPageToken: "",
    }),
    largest: {
      "200 changes with the longest notes": (given) => ({ petId: onePet(given), pageSize: 200 }),
      "200 changes of batches with the longest notes": ({ pets }) => ({
        petId: pets(1)[0] ?? "",
        pageSize: 200,
      }),
    },
  },
  watchInventory: {
    request: {},
    responses: example("watch", "A stock of one pet, and a change.", [
      { snapshot: { items: [item(1, 12)], removedPetIds: [] }, resumeToken: "" },
      { ready: { version: versionAt(3) }, resumeToken: String(versionAt(3)) },
      { change: change(4, 1, 12, 11), resumeToken: String(versionAt(4)) },
    ]),
    errors: [
      { error: watchExpired(), request: { resumeToken: "99999" } },
      { error: watchLimitReached("key", 100) },
      { error: serverDraining() },
      { error: watchCapacityReached(10_000) },
    ],
    largest: {
      "": "is a stream: it costs what it sends, and an account has a bounded number of them",
    },
  },
};

function item(petId: number, quantity: number, status = "available"): JsonObject {
  return { petId, quantity, status };
}

function change(
  minute: number,
  petId: number,
  quantityBefore: number | undefined,
  quantityAfter: number,
): JsonObject {
  return {
    version: versionAt(minute),
    petId,
    ...(quantityBefore !== undefined && { quantityBefore }),
    quantityAfter,
    status: "available",
    changedAt: `2026-11-02T09:3${minute}:00Z`,
    reason: "adjustment",
    note: "Annual count",
    reference: "",
    accountId: "5f3k8w0n2c6t",
    keyId: "5f3k8w0n2c6tq1d7",
    requestId: "till-3:0042",
  };
}
