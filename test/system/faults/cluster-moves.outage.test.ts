import { expect, test } from "vitest";
import { accountKey, itemsKey } from "../../../src/stores/redis/keys.ts";
import { grpc, startWatch, versionsOf } from "../../support/watch.ts";
import { type ClusterNode, moveSlots } from "../harness/redis-cluster.ts";
import { untilReached } from "../harness/until.ts";
import { settleAccounts } from "./adjuster.ts";
import { expectFewErrors, expectHonest, smallQuota, useFleet } from "./fleet.ts";
import { useCluster } from "./redis-groups.ts";

const redis = useCluster();
const fleet = useFleet(() => redis.cluster.environment);

async function scriptCalls({ client }: ClusterNode): Promise<number> {
  const statistics = await client.info("commandstats");
  const calls = [...statistics.matchAll(/^cmdstat_evalsha:calls=(\d+)/gm)];
  return calls.reduce((sum, [, count]) => sum + Number(count), 0);
}

test("while the slots of the stock and of accounts move: no error, no limit exceeded, no change lost, made twice or missed by a watch", async () => {
  const { cluster } = redis;
  const { adjusters, accountIds, of, spenders, stores, traffic } = fleet;
  const busy = accountIds.slice(-16).map(accountKey);
  const watches = fleet.servers.map(({ url }) => startWatch(grpc, { url, secret: fleet.key }));
  await fleet.more(10);

  const mover = moveSlots(cluster, () => {
    const current = accountKey(spenders.current.accountId);
    return Promise.all([itemsKey, current, ...busy].map(cluster.slotOf));
  });
  const spentBefore = spenders.spent.length;
  await untilReached("the number of moved slots", () => mover.moves, 150);
  await untilReached("the number of spent quotas", () => spenders.spent.length, spentBefore + 10);
  await mover.stop();
  await fleet.more(10);
  await traffic.stop();

  expectHonest(fleet);
  expectFewErrors(of("good"));
  expectFewErrors(of("spend"));
  const changes = (await stores.inventory.changesSince(0n, 1_000_000))?.changes ?? [];
  const made = changes.filter(({ reference }) => reference !== "");
  expect(settleAccounts(adjusters, made)).toEqual({
    doubled: [],
    lost: [],
    denied: [],
    unknown: [],
  });
  expect(await fleet.quantity()).toBe(made.length);
  for (const watch of watches) {
    await watch.reached(changes.at(-1)?.version ?? 0n);
    const versions = versionsOf(watch.received);
    const [first = 0n] = versions;
    expect(versions).toEqual(
      changes.map(({ version }) => version).filter((version) => version >= first),
    );
    expect(versions.length).toBeGreaterThan(100);
  }
  for (const { admitted } of spenders.spent) expect(admitted).toBeLessThanOrEqual(smallQuota);
  // A move of an account wastes none of its quota.
  for (const { admitted, unknown } of spenders.spent.slice(0, -1)) {
    expect(admitted + unknown).toBeGreaterThanOrEqual(smallQuota);
  }
  const calls = await Promise.all((await cluster.primaries()).map(scriptCalls));
  const all = calls.reduce((sum, count) => sum + count, 0);
  for (const count of calls) expect(count).toBeGreaterThan(all / 10);
}, 240_000);
