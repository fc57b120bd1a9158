import { beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { hourMs } from "../../../src/common/durations.ts";
import { newestChangeKey, stockChangesKey, stockRunKey } from "../../../src/stores/redis/keys.ts";
import { useReadyStores, useRedis } from "../../support/stores.ts";

const redis = useRedis();
const under = useReadyStores(redis);
beforeEach(() => redis.client.del(newestChangeKey, stockChangesKey, stockRunKey));

async function nextVersion(): Promise<number> {
  const { catalog, inventory } = under.stores;
  await catalog.put([{ petId: 1n, quantity: 1, status: PetStatus.AVAILABLE }]);
  return Number((await inventory.get(1n))?.version);
}

/** The least lead that a new run of Redis adds, in microseconds: 71 minutes, more than clocks differ. */
const leastLead = 2 ** 32;

// A failover can lose changes whose versions were up to 71 minutes beyond those of the next server.
test("after a failover that lost the lead, versions are beyond the newest one, even if it is far ahead of the clock", async () => {
  const ahead = (Date.now() + 3 * hourMs) * 1_000;
  await redis.client.set(newestChangeKey, `${ahead}-1`);
  const version = await nextVersion();
  expect(version).toBeGreaterThanOrEqual(ahead + leastLead);
  expect(version).toBeLessThan(ahead + 2 * leastLead + 60_000_000);
});

test("after a failover, versions are beyond the clock if the newest one is behind it", async () => {
  const behind = (Date.now() - 3 * hourMs) * 1_000;
  await redis.client.set(newestChangeKey, `${behind}-1`);
  const now = Date.now() * 1_000;
  const version = await nextVersion();
  expect(version).toBeGreaterThanOrEqual(now + leastLead);
  expect(version).toBeLessThan(now + 2 * leastLead + 60_000_000);
});
