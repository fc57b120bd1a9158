import { expect, test } from "vitest";
import { addAccount, addKey } from "../../support/accounts.ts";
import { readyStores, someTime, useRedis } from "../../support/stores.ts";

const redis = useRedis();

test("a clock of Redis that was set back by more than a second is reported once", async () => {
  const clock = { now: someTime };
  const steps: number[] = [];
  const stores = await readyStores(redis.url, {
    now: () => clock.now,
    onClockSetBack: (ms) => steps.push(ms),
  });
  const accountId = await addAccount(stores);
  const { keyHash } = await addKey(stores, accountId);
  for (const now of [0, 5_000, 4_000, 10_000, -80_000, -79_000, 10_000]) {
    clock.now = someTime + now;
    await stores.admission.admitKey(accountId, keyHash);
  }
  expect(steps).toEqual([90_000]);
});
