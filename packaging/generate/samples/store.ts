import type { JsonObject } from "@bufbuild/protobuf";
import { HoldState, StoreService } from "../../../gen/store/v1/store_pb.ts";
import {
  holdActive,
  holdEnded,
  holdLimitReached,
  holdRefused,
  orderLimitReached,
} from "../../../src/services/holds/errors.ts";
import { stockTooSmall } from "../../../src/services/inventory/errors.ts";
import { orderStatusConflict, stockTooLarge } from "../../../src/services/orders/errors.ts";
import type { Refusal } from "../../../src/stores/stock-change.ts";
import {
  example,
  type Given,
  largestListsOfHolds,
  type OperationSample,
  type SamplesOf,
  sampleHoldId,
  sampleOrderId,
  versionAt,
} from "./sample.ts";

/** The order of most examples. */
const placedOrder = order(417, 3, "placed", "2026-11-02T09:30:00Z");

const heldItems = [
  { petId: 1, quantity: 2 },
  { petId: 2, quantity: 1 },
];

const refusedHold = (petId: bigint, refusal: Refusal) =>
  holdRefused({ kind: "refused", refusals: [{ index: 0, refusal }], total: 1 }, [{ petId }]);

const { confirmHold, putHold } = StoreService.method;
const ofHold = { holdId: sampleHoldId };
const holding = (petId: string, quantity: number) => ({ ...ofHold, items: [{ petId, quantity }] });
const held = [putHold, holding("1", 1)] as const;

const largestEnds: OperationSample["largest"] = {
  "20 items": async ({ hold }) => ({ holdId: await hold(20) }),
  "100 items": async ({ hold }) => ({ holdId: await hold(100) }),
};

/** Each request replaces all pets of a hold by others. */
const put =
  (count: number) =>
  ({ index, pets }: Given) => ({
    holdId: `put-${count}`,
    items: pets(count, 3_000 + 100 * (index % 2)).map((petId) => ({ petId, quantity: 1 })),
    ttlSeconds: 86_400,
  });

export const storeSamples: SamplesOf<typeof StoreService> = {
  placeOrder: {
    request: { petId: "1", quantity: 1, reference: "cart-7" },
    bodies: example("order", "Three of pet 1.", {
      ...{ petId: 1, quantity: 3 },
      reference: "cart-7",
    }),
    responses: example("order", "The new order.", placedOrder),
    errors: [
      { error: stockTooSmall(1n, 13, 12), request: { petId: "1", quantity: 13 } },
      { error: orderLimitReached(100_000) },
    ],
    largest: {
      "": ({ number, pets }) => ({
        ...{ petId: pets(1, 600)[0] ?? "", quantity: 1 },
        idempotencyKey: `key-${number()}-${"k".repeat(200)}`,
      }),
    },
  },
  cancelOrder: {
    request: { orderId: sampleOrderId },
    bodies: example("empty", "A body is not needed.", {}),
    responses: example("order", "The cancelled order.", { ...placedOrder, status: "cancelled" }),
    errors: [
      { error: orderStatusConflict(1793611800000417n, "delivered") },
      { error: stockTooLarge(1793611800000417n), example: "CANCELLATION_TOO_LARGE" },
    ],
    largest: { "": async ({ order }) => ({ orderId: await order() }) },
  },
  getOrder: {
    request: { orderId: sampleOrderId },
    responses: example("order", "One order.", placedOrder),
    largest: { "": async ({ order }) => ({ orderId: await order() }) },
  },
  listOrders: {
    request: { pageSize: 100, reference: "cart-7" },
    responses: example("orders", "Two orders.", [
      placedOrder,
      order(86, 2, "delivered", "2026-11-01T16:05:12.250Z"),
    ]),
    largest: {
      "a page of 1,000": () => ({ pageSize: 1_000 }),
      "a reference that no order has": () => ({ reference: "none" }),
    },
  },
  putHold: {
    request: {
      holdId: sampleHoldId,
      items: [
        { petId: "1", quantity: 2 },
        { petId: "2", quantity: 1 },
      ],
      ttlSeconds: 600,
    },
    bodies: example("cart", "Units of two pets, for ten minutes.", {
      items: heldItems,
      ttlSeconds: 600,
    }),
    responses: example("cart", "The hold.", hold("active")),
    errors: [
      {
        error: refusedHold(404n, { kind: "no_pet" }),
        example: "HELD_PET_NOT_FOUND",
        request: holding("404", 1),
      },
      {
        error: holdEnded("cart-7", HoldState.CONFIRMED),
        example: "HOLD_CONFIRMED",
        request: holding("1", 1),
        after: [held, [confirmHold, ofHold]],
      },
      {
        error: refusedHold(1n, { kind: "too_small", quantity: 12 }),
        example: "HELD_STOCK_TOO_SMALL",
        request: holding("1", 13),
      },
      {
        error: holdActive("cart-7"),
        example: "HOLD_ACTIVE",
        request: holding("1", 1),
        headers: { "if-none-match": "*" },
        after: [held],
      },
      { error: holdLimitReached("4gx8v4rmv6ph") },
    ],
    largest: {
      "20 items in place of 20 others": put(20),
      "100 items in place of 100 others": put(100),
    },
  },
  confirmHold: {
    request: { holdId: sampleHoldId },
    bodies: example("empty", "A body is not needed.", {}),
    responses: example(
      "cart",
      "The hold with its orders.",
      hold("confirmed", versionAt(6) + 417, versionAt(6) + 421),
    ),
    errors: [
      { error: holdEnded("cart-7", HoldState.EXPIRED) },
      { error: orderLimitReached(100_000) },
    ],
    largest: largestEnds,
  },
  releaseHold: {
    request: { holdId: sampleHoldId },
    responses: example("cart", "The hold after its end.", hold("released")),
    errors: [
      {
        error: holdEnded("cart-7", HoldState.CONFIRMED),
        example: "HOLD_CONFIRMED",
        request: ofHold,
        after: [held, [confirmHold, ofHold]],
      },
    ],
    largest: largestEnds,
  },
  getHold: {
    request: { holdId: sampleHoldId },
    responses: example("cart", "One hold.", hold("active")),
    largest: { "100 items": async ({ hold }) => ({ holdId: await hold(100) }) },
  },
  listHolds: {
    request: { pageSize: 100 },
    responses: example("carts", "One hold.", [hold("active")]),
    largest: largestListsOfHolds,
  },
};

function hold(state: string, ...orderIds: readonly number[]): JsonObject {
  const expiresAt = "2026-11-02T09:40:00Z";
  return { holdId: "cart-7", items: heldItems, state, expiresAt, orderIds: [...orderIds] };
}

/** @param micros the low digits of the id, which are random */
function order(micros: number, quantity: number, status: string, placedAt: string): JsonObject {
  const orderId = Date.parse(placedAt) * 1_000 + micros;
  return { orderId, petId: 1, quantity, status, placedAt, reference: "cart-7" };
}
