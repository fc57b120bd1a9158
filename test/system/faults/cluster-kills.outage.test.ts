import { describe, expect, test } from "vitest";
import { accountKey, itemsKey } from "../../../src/stores/redis/keys.ts";
import { until } from "../harness/until.ts";
import { settleAccounts } from "./adjuster.ts";
import { recoverWithinMs } from "./bounds.ts";
import {
  expectFewErrors,
  expectHonest,
  expectRecovered,
  smallQuota,
  useFleet,
  type Window,
} from "./fleet.ts";
import { useCluster } from "./redis-groups.ts";

/** How much of the latest changes replication may lose without REDIS_ACK_REPLICAS, in ms. */
const replicationMs = 1_000;

/** The death of a primary, and the accounts whose counters it had. Times are those of `performance.now()`. */
interface Death {
  readonly at: number;
  readonly accounts: ReadonlySet<string>;
}

describe.each([0, 1])("with REDIS_ACK_REPLICAS=%i", (replicas) => {
  const redis = useCluster();
  const fleet = useFleet(() => ({
    ...redis.cluster.environment,
    REDIS_ACK_REPLICAS: String(replicas),
  }));

  /** Kills the primary of a key, waits for the election, and starts the server again. */
  async function killPrimaryOf(key: string): Promise<{ death: Death; window: Window }> {
    const { cluster } = redis;
    const victim = await cluster.ownerOf(await cluster.slotOf(key));
    const accounts = new Set<string>();
    for (const { accountId } of fleet.spenders.upcoming) {
      const owner = await cluster.ownerOf(await cluster.slotOf(accountKey(accountId)));
      if (owner === victim) accounts.add(accountId);
    }
    const at = performance.now();
    await victim.kill();
    await cluster.elected();
    const elected = performance.now();
    await victim.start();
    await cluster.whole();
    // Before, a change has no replica that could acknowledge it.
    const changesAfter = replicas > 0 ? performance.now() : elected;
    const to = changesAfter + recoverWithinMs;
    await until("the time for the recovery is over", () => performance.now() > to);
    await fleet.more(10);
    expectRecovered(fleet, "good read", elected);
    expectRecovered(fleet, "good adjust", changesAfter);
    return { death: { at, accounts }, window: { from: at, to } };
  }

  test("primaries are killed one after another: the service recovers, and nothing is lost that replicas must have", async () => {
    const { adjusters, of, spenders, stores, traffic } = fleet;
    await fleet.more(20);
    const { current } = spenders;
    const kills = [];
    for (const key of [itemsKey, accountKey(current.accountId)]) {
      kills.push(await killPrimaryOf(key));
    }
    await traffic.stop();

    expectHonest(fleet);
    const windows = kills.map(({ window }) => window);
    expectFewErrors(of("good"), windows);
    expectFewErrors(of("spend"), windows);
    // The kills were noticed.
    for (const { from, to } of windows) {
      const during = of("good").filter(({ sentAt, endedAt }) => sentAt > from && endedAt < to);
      expect(during.some(({ code }) => code === "unavailable")).toBe(true);
    }

    const changes = (await stores.inventory.changesSince(0n, 1_000_000))?.changes ?? [];
    const made = changes.filter(({ reference }) => reference !== "");
    const { lost, ...others } = settleAccounts(adjusters, made);
    expect(others).toEqual({ doubled: [], denied: [], unknown: [] });
    expect(await fleet.quantity()).toBe(made.length);
    if (replicas > 0) expect(lost).toEqual([]);
    for (const { endedAt } of lost) {
      expect(kills.some(({ death: { at } }) => at - replicationMs < endedAt && endedAt < at)).toBe(
        true,
      );
    }
    for (const { accountId, admitted, begunAt, endedAt } of spenders.spent) {
      const isHurt = kills.some(
        ({ death: { at, accounts } }) => accounts.has(accountId) && begunAt < at && at < endedAt,
      );
      if (!isHurt) expect(admitted).toBeLessThanOrEqual(smallQuota);
    }
  }, 240_000);
});
