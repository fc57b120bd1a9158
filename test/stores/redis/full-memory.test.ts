import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ChangeReason, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { stockSettings } from "../../../src/config/stock-settings.ts";
import { maxHolds } from "../../../src/stores/hold-store.ts";
import { readyStores, useRedis } from "../../support/stores.ts";

const accountId = "aaaaaaaaaaaa";
const petIds = Array.from({ length: 1_000 }, (_, at) => 9_223_372_036_854_774_000n + BigInt(at));

/** Sizes in docs/operator/redis.md of what else a shop may have, in bytes. */
const rest =
  /* pets */ 100_000 * 195 +
  /* accounts with an API key and its windows */ 100_000 * 1_100 +
  /* stored responses of an account of the plan business */ 150e6 +
  /* counters of addresses */ 42e6 +
  /* open orders of an account, and as many that ended */ 100_000 * (280 + 360);

const redis = useRedis();

/** Returns the sizes of Redis keys together, in bytes. */
async function sizeOf(...keys: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    keys.map((key) => redis.client.memory("USAGE", key, "SAMPLES", 0)),
  );
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

test.each(["compose.yaml", "deploy/kubernetes/development/redis.yaml"])(
  "a full history and audit trail, and much else, fit into the Redis of %s",
  async (file) => {
    const [, gigabytes] = /"--maxmemory",\s*"(\d+)gb"/.exec(readFileSync(file, "utf8")) ?? [];
    const maxMemory = Number(gigabytes) * 2 ** 30;
    await redis.client.flushdb();
    const stores = await readyStores(redis.url);
    const origin = {
      reason: ChangeReason.ADJUSTMENT,
      // Characters of four bytes.
      note: "\u{1f63a}".repeat(500),
      reference: "\u{1f63a}".repeat(100),
      accountId,
      keyId: "k".repeat(20),
      requestId: "q".repeat(128),
    };
    const quantity = 1_000_000;
    await stores.catalog.put(
      petIds.map((petId) => ({ petId, quantity, status: PetStatus.AVAILABLE })),
    );
    const changes = 200;
    const before = await sizeOf("inv:{stock}:changes");
    for (let round = 0; round < changes; round += 1) {
      await stores.inventory.change({ petId: petIds[round] ?? 0n, delta: 1 }, { origin });
    }
    const perChange = ((await sizeOf("inv:{stock}:changes")) - before) / changes;
    expect(perChange).toBeGreaterThan(2_400);
    expect(perChange).toBeLessThan(3_700);

    const entries = 200;
    for (let entry = 0; entry < entries; entry += 1) await stores.audit.append("x".repeat(4_096));
    const perEntry = (await sizeOf("inv:{audit}:entries")) / entries;
    expect(perEntry).toBeGreaterThan(4_096);
    expect(perEntry).toBeLessThan(5_700);

    const holds = 20;
    for (let hold = 0; hold < holds; hold += 1) {
      const items = petIds.slice(0, 100).map((petId) => ({ petId, quantity: 1 }));
      await stores.holds.put(accountId, `${hold}`.padStart(64, "h"), { items, ttlMs: 60_000 });
    }
    const perHold = (await sizeOf("inv:{stock}:holds", "inv:{stock}:hold-index")) / holds;
    expect(perHold).toBeGreaterThan(10_000);
    expect(perHold).toBeLessThanOrEqual(30_000);

    const sum =
      perChange * Number(stockSettings.HISTORY_LENGTH.default) +
      perEntry * Number(stockSettings.AUDIT_LENGTH.default) +
      perHold * maxHolds +
      rest;
    expect(sum).toBeLessThan(maxMemory);
  },
  30_000,
);
