import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  AdjustInventoryRequestSchema,
  InventoryService,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { createOneAtATime, idempotencyOf } from "../../../src/services/inventory/idempotency.ts";

const idempotency = { key: "k", fingerprint: "f" };

test("a key is in use by one request of an account, and free for others", async () => {
  const oneAtATime = createOneAtATime();
  const first = Promise.withResolvers<string>();
  const running = oneAtATime("alice", idempotency, () => first.promise);
  const again = oneAtATime("alice", idempotency, async () => "again");
  await expect(again).rejects.toThrow("k");
  expect(await oneAtATime("bob", idempotency, async () => "bob")).toBe("bob");
  first.resolve("alice");
  expect(await running).toBe("alice");
  expect(await oneAtATime("alice", idempotency, async () => "later")).toBe("later");
});

test("a key is free again after a request that has failed", async () => {
  const oneAtATime = createOneAtATime();
  const failing = oneAtATime("alice", idempotency, () => Promise.reject(new Error("no stock")));
  await expect(failing).rejects.toThrow("no stock");
  expect(await oneAtATime("alice", idempotency, async () => "later")).toBe("later");
});

test("requests differ if their conditions do", () => {
  const method = InventoryService.method.adjustInventory;
  const request = create(AdjustInventoryRequestSchema, {
    petId: 1n,
    delta: 1,
    idempotencyKey: "k",
  });
  const conditions: Record<string, string>[] = [
    {},
    { "if-match": '"5"' },
    { "if-match": '"5", "6"' },
    { "if-match": '"5"', "if-none-match": '"5"' },
    { "if-none-match": '"5"' },
    { "if-none-match": '"5", "6"' },
  ];
  const fingerprints = conditions.map(
    (headers) => idempotencyOf(method, request, new Headers(headers))?.fingerprint,
  );
  expect(new Set(fingerprints).size).toBe(conditions.length);
});
