import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeyDecision, Quota } from "../../src/stores/admission-store.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { storeKinds } from "../support/stores.ts";

/** The most requests that a batch of the tests counts as. */
const largest = 50;

const aHistory = fc.array(
  fc.record({
    passes: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 61_000 }), fc.nat(90_000_000)),
    requests: fc.integer({ min: 1, max: 60 }),
  }),
  { minLength: 1, maxLength: 6 },
);

describe.each(storeKinds)("a refused batch in $name", ({ use }) => {
  const under = use();

  test("is admitted after the wait if no other request comes", async () => {
    let number = 0;
    const refusals = { admission: 0, charge: 0 };
    const anyCase = fc.record({
      perMinute: fc.integer({ min: 1, max: 80 }),
      perDay: fc.integer({ min: 1, max: 200 }),
      history: aHistory,
      cost: fc.integer({ min: 1, max: largest }),
      after: fc.nat(30_000),
    });
    const property = async ({
      perMinute,
      perDay,
      history,
      cost,
      after,
    }: FcValue<typeof anyCase>) => {
      const { admission } = under.stores;
      number += 1;
      const accountId = `a${String(number).padStart(11, "0")}`;
      const limits = { perMinute, perDay };
      await addAccount(under.stores, { plan: "enterprise", limits }, accountId);
      const { keyHash } = await addKey(under.stores, accountId);

      /** Decides on the batch as a server does: before its body is read, then when it is read. */
      async function send(requests = cost): Promise<[keyof typeof refusals, KeyDecision | Quota]> {
        const batch = { network: () => "", batch: { most: largest } };
        const head = await admission.admitKey(accountId, keyHash, undefined, batch);
        if (head.verdict !== "admitted" || requests === 1) return ["admission", head];
        const counted = { accountId, keyHash, countedAt: head.countedAt };
        const rest = await admission.charge(counted, requests);
        return ["charge", rest as Quota];
      }

      for (const { passes, requests } of history) {
        under.clock.now += passes;
        for (let at = 0; at < requests; at++) {
          const { verdict } = await admission.admitKey(accountId, keyHash);
          if (verdict !== "admitted") break;
        }
      }
      under.clock.now += after;
      const [by, refused] = await send();
      const limit = Math.min(perMinute, perDay);
      // A batch over a limit never fits.
      if (refused.verdict !== "limited" || cost > limit) return;
      refusals[by] += 1;
      under.clock.now += refused.retryInMs - 1;
      // Admission does not know the cost. It waits for the largest batch that fits.
      const tooSoon = by === "charge" ? cost : Math.min(largest, limit);
      expect((await send(tooSoon))[1].verdict).toBe("limited");
      under.clock.now += 1;
      expect((await send())[1].verdict).toBe("admitted");
    };
    await fc.assert(fc.asyncProperty(anyCase, property), { numRuns: 150 });
    expect(refusals.admission).toBeGreaterThan(0);
    expect(refusals.charge).toBeGreaterThan(0);
  });
});

type FcValue<T> = T extends fc.Arbitrary<infer V> ? V : never;
