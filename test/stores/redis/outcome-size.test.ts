import { describe, expect, test } from "vitest";
import { ChangeReason, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { maxQuantity } from "../../../src/stores/inventory-store.ts";
import type { ChangeRequest } from "../../../src/stores/stock-change.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { readyStores, useRedis } from "../../support/stores.ts";

/** The sizes of stored outcomes in docs/operator/redis.md, in bytes of Redis. */
const largestOutcome = 1_500;
const usualOutcome = 300;
/** That of a batch of adjustments has the new quantities. */
const largestAdjustedOutcome = 15_000;

const accountId = "aaaaaaaaaaaa";
const petIds = Array.from({ length: 1_000 }, (_, at) => 9_223_372_036_854_774_000n + BigInt(at));
const [petId = 0n] = petIds;

describe("the stored outcome of a request with an idempotency key", () => {
  const redis = useRedis();

  /** Returns the memory of the stored outcome of a request, in bytes. */
  async function outcomeSize(
    make: (stores: Stores, request: ChangeRequest) => Promise<unknown>,
  ): Promise<number> {
    await redis.client.flushdb();
    const stores = await readyStores(redis.url);
    // The longest versions.
    await redis.client.set("inv:{stock}:version", 9_007_199_254_000_000);
    await redis.client.set("inv:{stock}:last-order", 9_007_199_254_000_000);
    const quantity = maxQuantity;
    await stores.catalog.put(petIds.map((id) => ({ petId: id, quantity, status: PetStatus.SOLD })));
    const origin = {
      reason: ChangeReason.RETURN,
      note: "n".repeat(500),
      reference: "r".repeat(100),
      accountId,
      keyId: "k".repeat(20),
      requestId: "q".repeat(128),
    };
    const idempotency = { key: "x".repeat(255), fingerprint: "f".repeat(43) };
    await make(stores, { origin, idempotency });
    const [key = "", ...others] = await redis.client.keys("inv:{stock}:outcome:*");
    expect(others).toEqual([]);
    return (await redis.client.memory("USAGE", key)) ?? 0;
  }

  test.each<[string, (stores: Stores, request: ChangeRequest) => Promise<unknown>]>([
    ["one item, set", (s, request) => s.inventory.change({ petId, quantity: 1 }, request)],
    ["one item, refused", (s, request) => s.inventory.change({ petId, delta: 1 }, request)],
    [
      "an order",
      ({ orders }, request) => orders.place(accountId, { petId, quantity: maxQuantity }, request),
    ],
  ])("is small: %s", async (_, make) => {
    expect(await outcomeSize(make)).toBeLessThanOrEqual(usualOutcome);
  });

  test.each<[string, { expectedVersions?: readonly bigint[] }]>([
    ["set", {}],
    ["refused", { expectedVersions: [1n] }],
  ])("is bounded for a batch of 1,000 items, %s", async (kind, conditions) => {
    const updates = petIds.map((id) => ({ petId: id, quantity: 1, ...conditions }));
    const size = await outcomeSize(async ({ inventory }, request) => {
      const outcome = await inventory.changeAll(updates, request);
      expect(outcome.kind).toBe(kind === "set" ? "changed" : "refused");
    });
    expect(size).toBeLessThanOrEqual(largestOutcome);
  });

  test("is bounded for a batch of 1,000 items, adjusted", async () => {
    const deltas = petIds.map((id) => ({ petId: id, delta: -1 }));
    const size = await outcomeSize(async ({ inventory }, request) => {
      expect((await inventory.changeAll(deltas, request)).kind).toBe("changed");
    });
    expect(size).toBeLessThanOrEqual(largestAdjustedOutcome);
  });
});
