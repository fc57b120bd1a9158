import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { SentinelNode } from "../harness/redis-sentinel.ts";
import { until } from "../harness/until.ts";
import { settleAccounts } from "./adjuster.ts";
import { recoverWithinMs } from "./bounds.ts";
import { expectFewErrors, expectHonest, expectRecovered, useFleet, type Window } from "./fleet.ts";
import { useSentinels } from "./redis-groups.ts";

const redis = useSentinels();
// The servers know only the first sentinels.
const first: { environment?: Readonly<Record<string, string>> } = {};
const fleet = useFleet(() => {
  first.environment ??= redis.group.environment;
  return first.environment;
});
/** The times in which requests may fail. */
const windows: Window[] = [];

/** How many changes before a failover replication may lose without REDIS_ACK_REPLICAS, in ms. */
const replicationMs = 1_000;

/** How long the service waits for the reply of a sentinel, and how often it asks, in ms. */
const [sentinelReplyMs, sentinelPollMs] = [500, 500];

/** Makes another server the primary, and checks that the service follows. @returns the former primary */
async function failOver(how: (primary: SentinelNode) => Promise<unknown>): Promise<SentinelNode> {
  const { group } = redis;
  const before = await group.primary();
  await fleet.more(10);
  const from = performance.now();
  await how(before);
  await group.failedOver(before);
  const after = performance.now();
  const to = after + recoverWithinMs;
  await until("the time for the recovery is over", () => performance.now() > to);
  await fleet.more(10);
  expectRecovered(fleet, "good", after);
  windows.push({ from, to });
  return before;
}

async function scriptCalls({ client }: SentinelNode): Promise<number> {
  return Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(await client.info("commandstats"))?.[1] ?? 0);
}

test("the service follows the primary after it was killed", async () => {
  const { group } = redis;
  const killed = await failOver(({ server }) => server.kill());
  await group.startAsReplica(killed);
  await group.whole();
}, 180_000);

test("the service leaves a primary that was demoted, but still runs", async () => {
  const { group } = redis;
  const demoted = await failOver(() => group.demotePrimary());
  await group.whole();
  const calls = await scriptCalls(demoted);
  await fleet.more(20);
  expect(await scriptCalls(demoted)).toBe(calls);
}, 180_000);

test("the service follows the primary after all sentinels were replaced, one by one", async () => {
  const { group } = redis;
  const before = group.urls;
  for (const _ of before) {
    await fleet.more(20);
    await group.replaceOldestSentinel();
  }
  expect(group.urls.filter((url) => before.includes(url))).toEqual([]);
  // For a moment, no sentinel replies in the time that the service waits. It must not forget them.
  for (const { server } of group.sentinels) server.pause();
  await delay(sentinelReplyMs + sentinelPollMs + 200);
  for (const { server } of group.sentinels) server.resume();
  await fleet.more(20);
  const killed = await failOver(({ server }) => server.kill());
  await group.startAsReplica(killed);
  await group.whole();
}, 180_000);

test("outside of failovers, no request failed, and no change was lost or made twice", async () => {
  const { adjusters, of, stores, traffic } = fleet;
  await traffic.stop();
  expectHonest(fleet);
  expectFewErrors(of("good"), windows);
  expectFewErrors(of("spend"), windows);
  const changes = (await stores.inventory.changesSince(0n, 1_000_000))?.changes ?? [];
  const made = changes.filter(({ reference }) => reference !== "");
  const { lost, ...others } = settleAccounts(adjusters, made);
  expect(others).toEqual({ doubled: [], denied: [], unknown: [] });
  expect(await fleet.quantity()).toBe(made.length);
  for (const { endedAt } of lost) {
    const isAllowed = windows.some(
      ({ from, to }) => from - replicationMs < endedAt && endedAt < to - recoverWithinMs,
    );
    expect(isAllowed).toBe(true);
  }
});
