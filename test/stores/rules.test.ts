import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { historySlack, outcomeTtlMs, unknownOrigin } from "../../src/stores/stock-change.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { someTime, storeKinds, useStoreServers } from "../support/stores.ts";

const status = PetStatus.AVAILABLE;
const accounts = ["aaaaaaaaaaaa", "bbbbbbbbbbbb"] as const;

/** Times up to more than the lifetime of stored outcomes, and around its end. */
const passing = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: outcomeTtlMs / 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(outcomeTtlMs - 1, outcomeTtlMs, outcomeTtlMs + 1) },
);

describe.each(storeKinds)("idempotency keys in $name", ({ use }) => {
  const under = use();
  let run = 0n;

  test("let a request take effect once in 24 hours, and no other request in its place", async () => {
    const request = fc.record({
      passes: passing,
      accountId: fc.constantFrom(...accounts),
      key: fc.constantFrom("k", "K", "a key"),
      // Some of them are refused, which is an outcome too.
      delta: fc.constantFrom(1, 2, -3),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 25 }), async (requests) => {
        const { catalog, inventory } = under.stores;
        run += 1n;
        await catalog.create({ petId: run, quantity: 0, status });
        const firsts = new Map<string, { at: number; delta: number; outcome: object }>();
        let quantity = 0;
        for (const { passes, accountId, key, delta } of requests) {
          under.clock.now += passes;
          // Each run has its own keys.
          const idempotency = { key: `${key} ${run}`, fingerprint: `adjust:${delta}` };
          const origin = { ...unknownOrigin, accountId };
          const outcome = await inventory.change({ petId: run, delta }, { origin, idempotency });
          const name = `${accountId} ${key}`;
          const first = firsts.get(name);
          if (first && under.clock.now - first.at < outcomeTtlMs) {
            const same = first.delta === delta;
            expect(outcome).toEqual(
              same ? { ...first.outcome, replayed: true } : { kind: "key_reused", replayed: false },
            );
          } else {
            const possible = quantity + delta >= 0;
            expect(outcome).toMatchObject(
              possible
                ? { kind: "changed", item: { quantity: quantity + delta }, replayed: false }
                : { kind: "too_small", quantity, replayed: false },
            );
            if (possible) quantity += delta;
            firsts.set(name, { at: under.clock.now, delta, outcome });
          }
          expect((await inventory.get(run))?.quantity).toBe(quantity);
        }
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  test("let one of many concurrent equal requests take effect", async () => {
    const { catalog, inventory } = under.stores;
    await catalog.create({ petId: 1n, quantity: 0, status });
    const idempotency = { key: "k", fingerprint: "f" };
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => inventory.change({ petId: 1n, delta: 1 }, { idempotency })),
    );
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome, showBigint))).size).toBe(2);
    expect((await inventory.get(1n))?.quantity).toBe(1);
  });
});

describe("limits of the history", () => {
  const clock = { now: someTime };
  const redis = useStoreServers();
  const limits = { length: 300, ageMs: 1_000 };

  test.each(["memory", "redis"] as const)(
    "in %s, keep all changes within them, without a gap, and few more",
    async (kind) => {
      await redis.flush();
      const now = () => clock.now;
      const stores =
        kind === "memory"
          ? createMemoryStores(now, { history: limits })
          : openRedisStores(redis.target, { now, history: limits });
      await stores.ready(5_000);
      const { catalog, inventory } = stores;
      await catalog.create({ petId: 1n, quantity: 0, status });
      const step = fc.record({
        passes: fc.oneof(
          { weight: 6, arbitrary: fc.constant(0) },
          fc.integer({ min: 1, max: 900 }),
        ),
        changes: fc.integer({ min: 1, max: 120 }),
      });
      const times: number[] = [clock.now];
      const versions = [(await inventory.page(undefined, 1)).version];
      await fc.assert(
        fc.asyncProperty(step, async ({ passes, changes }) => {
          clock.now += passes;
          const outcomes = await Promise.all(
            Array.from({ length: changes }, () => inventory.change({ petId: 1n, delta: 1 })),
          );
          for (const outcome of outcomes) {
            if (outcome.kind === "changed") versions.push(outcome.item.version);
          }
          times.push(...Array.from({ length: changes }, () => clock.now));

          const page = await inventory.changes({ limit: 1_000 });
          const kept = page?.changes.length ?? 0;
          expect(page?.changes.map(({ version }) => version)).toEqual(
            versions.slice(-kept).reverse(),
          );
          const young = times.filter((time) => time > clock.now - limits.ageMs).length;
          expect(kept).toBeGreaterThanOrEqual(Math.min(young, limits.length));
          expect(kept).toBeLessThanOrEqual(limits.length + historySlack);

          const [before = 0n, beforeThat] = versions.slice(0, -kept).reverse();
          expect(await inventory.historyStart()).toBe(before);
          const known = await inventory.changesSince(before, 1_000);
          expect(known?.changes).toHaveLength(kept);
          if (before > 0n)
            expect(await inventory.changesSince(beforeThat ?? 0n, 1)).toBeUndefined();
          const ofPet = await inventory.changes({ petId: 1n, limit: 1_000 });
          expect(ofPet?.changes).toEqual(page?.changes);
        }),
        { numRuns: 60, endOnFailure: true },
      );
      await stores.close();
    },
    60_000,
  );
});

function showBigint(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
