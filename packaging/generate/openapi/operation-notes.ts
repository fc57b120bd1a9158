import { type DescMethod, hasOption } from "@bufbuild/protobuf";
import { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import { InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../../gen/pets/v1/pets_pb.ts";
import { deprecation } from "../../../gen/rules/v1/rules_pb.ts";
import { StoreService } from "../../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../../gen/usage/v1/usage_pb.ts";
import type { Json, JsonObject } from "./generator/json.ts";
import type { OperationNotes } from "./generator/operation.ts";
import { ofDeprecated } from "./headers.ts";
import {
  ofHold,
  ofItemChange,
  ofKeyedChange,
  ofPlainChange,
  ofVersionedRead,
} from "./request-headers.ts";

/** The tags of the document. Each is a service of the contract. */
export const tags = [
  { name: "Inventory", service: InventoryService },
  { name: "Catalog", service: CatalogService },
  { name: "Store", service: StoreService },
  { name: "Pets", service: PetService },
  { name: "Usage", service: UsageService },
];

/** Notes of all reads whose response has a version. */
const versionedRead = {
  parameters: ofVersionedRead,
  notModified: "The client already has the current version.",
};

/** Notes of all changes of one item. */
const itemChange = {
  parameters: ofItemChange,
  successHeaders: { always: ["ETag"], sometimes: ["Idempotency-Replayed"] },
};

/** Notes of all other changes that can have an idempotency key. */
const keyedChange = {
  parameters: ofKeyedChange,
  successHeaders: { always: [], sometimes: ["Idempotency-Replayed"] },
};

/** Notes of all reads of pages. */
const pagedRead = { successHeaders: { always: [], sometimes: ["Link"] } };

/**
 * Returns the id of a method's operation: its name. Methods of two services have the same name, and operations of published
 * documents keep their ids.
 */
export function operationIdOf({ parent, localName }: DescMethod): string {
  return parent === CatalogService && localName === "getPet" ? "getCatalogEntry" : localName;
}

/** The order of most examples. */
const placedOrder = order(417, 3, "placed", "2026-11-02T09:30:00Z");

const heldItems = [
  { petId: 1, quantity: 2 },
  { petId: 2, quantity: 1 },
];

/** Headers and examples of operations by their ids. The contract does not contain them. */
const notes: Readonly<Record<string, Partial<OperationNotes>>> = {
  listInventory: {
    ...versionedRead,
    successHeaders: { always: ["ETag"], sometimes: ["Link"] },
    responseExamples: example("stock", "A stock of three pets.", [
      item(1, 12),
      item(2, 7, "pending"),
      item(3, 0, "sold"),
    ]),
  },
  getInventoryItem: {
    ...versionedRead,
    successHeaders: { always: ["ETag"] },
    responseExamples: example("pet", "One pet.", item(1, 12)),
  },
  listStockLevels: {
    ...pagedRead,
    responseExamples: example("levels", "Two pets, of which one has held units.", [
      { petId: 1, quantity: 8, held: 4, onHand: 12 },
      { petId: 2, quantity: 7, held: 0, onHand: 7 },
    ]),
  },
  adjustInventory: {
    ...itemChange,
    requestExamples: {
      ...example("arrival", "Three more arrived.", {
        delta: 3,
        reason: "arrival",
        reference: "PO-17",
      }),
      ...example("damage", "One less.", { delta: -1, note: "Moved to the vet." }),
    },
    responseExamples: example("arrival", "After new arrivals.", item(1, 15)),
  },
  batchUpdateInventory: {
    ...keyedChange,
    requestExamples: example("count", "The result of a count.", {
      updates: [
        { petId: 1, quantity: 11, expectedQuantity: 12 },
        { petId: 2, quantity: 7, expectedQuantity: 3 },
      ],
      note: "Annual count",
    }),
    responseExamples: example("count", "After the count.", {
      items: [
        { item: item(1, 11), version: versionAt(4) },
        { item: item(2, 7), version: versionAt(5) },
      ],
    }),
  },
  batchAdjustInventory: {
    ...keyedChange,
    requestExamples: example("transfer", "Three units move to pet 1.", {
      adjustments: [
        { petId: 2, delta: -3 },
        { petId: 1, delta: 3 },
      ],
      reference: "T-17",
    }),
    responseExamples: example("transfer", "After the transfer.", {
      items: [
        { item: item(2, 4), version: versionAt(6) },
        { item: item(1, 14), version: versionAt(6) + 1 },
      ],
    }),
  },
  countInventory: {
    ...keyedChange,
    requestExamples: example("shelf", "The count of a shelf.", {
      counts: [{ petId: 1, counted: 11 }],
      note: "Annual count",
    }),
    responseExamples: example("shelf", "After the count: four of the eleven are held.", {
      items: [{ item: item(1, 7), version: versionAt(7) }],
    }),
  },
  listInventoryChanges: {
    ...pagedRead,
    responseExamples: example("changes", "Two changes, with a token for more.", {
      changes: [change(5, 2, 0, 7), change(4, 1, 12, 11)],
      nextPageToken: Buffer.from(`version ${versionAt(3)}`).toString("base64url"),
    }),
  },
  listItemChanges: {
    ...pagedRead,
    responseExamples: example("changes", "All changes.", {
      changes: [change(4, 1, 12, 11), change(1, 1, undefined, 12)],
      nextPageToken: "",
    }),
  },
  watchInventory: {
    responseExamples: example("watch", "A stock of one pet, and a change.", [
      { snapshot: { items: [item(1, 12)], removedPetIds: [] }, resumeToken: "" },
      { ready: { version: versionAt(3) }, resumeToken: String(versionAt(3)) },
      { change: change(4, 1, 12, 11), resumeToken: String(versionAt(4)) },
    ]),
  },
  updateInventory: {
    ...itemChange,
    requestExamples: {
      ...example("arrival", "New arrivals.", { quantity: 12 }),
      ...example("soldOut", "None left.", { quantity: 0 }),
    },
    responseExamples: example("arrival", "After new arrivals.", item(1, 12)),
  },
  listPets: {
    ...versionedRead,
    successHeaders: { always: ["ETag"], sometimes: ["Link"] },
    responseExamples: example("catalog", "A catalogue of two pets.", [
      entry(1),
      entry(2, "pending"),
    ]),
  },
  getCatalogEntry: {
    ...versionedRead,
    successHeaders: { always: ["ETag"] },
    responseExamples: example("pet", "One entry.", entry(1)),
  },
  createPet: {
    parameters: ofPlainChange,
    requestExamples: example("pet", "A new pet.", { petId: 100, quantity: 12 }),
    responseExamples: example("pet", "The new entry.", entry(100)),
  },
  updatePet: {
    parameters: ofPlainChange,
    requestExamples: example("sold", "The pet is sold.", { status: "sold" }),
    responseExamples: example("sold", "After the change.", entry(1, "sold")),
  },
  removePet: {
    parameters: ofPlainChange,
    responseExamples: example("pet", "The entry as it was.", entry(100)),
  },
  getPet: {
    responseExamples: example("pet", "A pet that is for sale.", { petId: 1, status: "available" }),
  },
  listOrders: {
    ...pagedRead,
    responseExamples: example("orders", "Two orders.", [
      placedOrder,
      order(86, 2, "delivered", "2026-11-01T16:05:12.250Z"),
    ]),
  },
  placeOrder: {
    ...keyedChange,
    requestExamples: example("order", "Three of pet 1.", {
      ...{ petId: 1, quantity: 3 },
      reference: "cart-7",
    }),
    responseExamples: example("order", "The new order.", placedOrder),
  },
  cancelOrder: {
    parameters: ofPlainChange,
    requestExamples: example("empty", "A body is not needed.", {}),
    responseExamples: example("order", "The cancelled order.", {
      ...placedOrder,
      status: "cancelled",
    }),
  },
  putHold: {
    parameters: ofHold,
    requestExamples: example("cart", "Units of two pets, for ten minutes.", {
      items: heldItems,
      ttlSeconds: 600,
    }),
    responseExamples: example("cart", "The hold.", hold("active")),
  },
  confirmHold: {
    parameters: ofPlainChange,
    requestExamples: example("empty", "A body is not needed.", {}),
    responseExamples: example(
      "cart",
      "The hold with its orders.",
      hold("confirmed", versionAt(6) + 417, versionAt(6) + 421),
    ),
  },
  releaseHold: {
    parameters: ofPlainChange,
    responseExamples: example("cart", "The hold after its end.", hold("released")),
  },
  getHold: { responseExamples: example("cart", "One hold.", hold("active")) },
  listHolds: {
    ...pagedRead,
    responseExamples: example("carts", "One hold.", [hold("active")]),
  },
  getUsage: {
    responseExamples: example(
      "usage",
      "An account with one key. Of the last hour and days, only the newest is shown.",
      {
        usage: {
          accountId: "5f3k8w0n2c6t",
          name: "Corner shop",
          plan: "free",
          reportedAt: "2026-11-02T09:30:00Z",
          minute: {
            limit: 60,
            remaining: 48,
            moreAt: "2026-11-02T09:30:21Z",
            resetAt: "2026-11-02T09:31:01Z",
          },
          day: {
            limit: 1000,
            remaining: 940,
            moreAt: "2026-11-02T17:45:00Z",
            resetAt: "2026-11-03T09:45:00Z",
          },
          lastHour: [{ startAt: "2026-11-02T09:30:00Z", requests: requests(12, 0) }],
          lastDays: [
            {
              date: "2026-11-02",
              requests: requests(60, 3),
              keys: [{ keyId: "5f3k8w0n2c6tq1d70a4b", requests: requests(60, 3) }],
            },
          ],
          keys: [
            { keyId: "5f3k8w0n2c6tq1d70a4b", name: "till", lastUsedAt: "2026-11-02T09:30:00Z" },
          ],
        },
        keyId: "5f3k8w0n2c6tq1d70a4b",
        scopes: ["inventory:read", "inventory:write"],
      },
    ),
  },
  getOrder: { responseExamples: example("order", "One order.", placedOrder) },
};

function example(name: string, summary: string, value: Json): JsonObject {
  return { [name]: { summary, value } };
}

function item(petId: number, quantity: number, status = "available"): JsonObject {
  return { petId, quantity, status };
}

function entry(petId: number, status = "available"): JsonObject {
  return { petId, status };
}

function requests(admitted: number, limited: number): JsonObject {
  return { admitted, limited, banned: 0 };
}

function hold(state: string, ...orderIds: readonly number[]): JsonObject {
  const expiresAt = "2026-11-02T09:40:00Z";
  return { holdId: "cart-7", items: heldItems, state, expiresAt, orderIds };
}

/** @param micros the low digits of the id, which are random */
function order(micros: number, quantity: number, status: string, placedAt: string): JsonObject {
  const orderId = Date.parse(placedAt) * 1_000 + micros;
  return { orderId, petId: 1, quantity, status, placedAt, reference: "cart-7" };
}

/** Returns the version of a change that was made some minutes after 9:30: its time in microseconds. */
function versionAt(minute: number): number {
  return Date.UTC(2026, 10, 2, 9, 30 + minute) * 1_000;
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
    quantityBefore,
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

/**
 * Returns the notes of a method.
 *
 * @param sunset when deprecated operations end, in milliseconds since the epoch
 * @throws Error when the method's service has no tag
 */
export function notesOf(method: DescMethod, sunset: number): OperationNotes {
  const tag = tags.find(({ service }) => service === method.parent);
  if (!tag) throw new Error(`${method.parent.typeName} has no tag`);
  const operationId = operationIdOf(method);
  const own = { operationId, tag: tag.name, ...notes[operationId] };
  if (!hasOption(method, deprecation)) return own;
  return {
    ...own,
    headers: ofDeprecated,
    extensions: { "x-sunset": new Date(sunset).toISOString().slice(0, 10) },
  };
}
