import { expect, onTestFinished, test } from "vitest";
import { readRedisConfig } from "../../../src/config/config.ts";
import { createNodeFactory } from "../../../src/stores/redis/connection/node.ts";
import { constantTimeBudget } from "../../../src/stores/redis/connection/time-budget.ts";
import { useRedis } from "../../support/stores.ts";

// With options, so that this file has its own Redis: the tests break its connections.
const redis = useRedis("--maxmemory-policy", "noeviction");

test.each<[how: string, lose: () => Promise<unknown>, mend: () => Promise<unknown>]>([
  [
    "its connection was closed",
    () => redis.client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"),
    async () => {},
  ],
  [
    "it has become a replica",
    () => redis.client.replicaof("127.0.0.1", 1),
    () => redis.client.call("REPLICAOF", "NO", "ONE"),
  ],
])(
  "a server is not writable from the moment when %s, until it accepts a write",
  async (_, lose, mend) => {
    const settings = readRedisConfig({ REDIS_URL: redis.url });
    const address = settings?.addresses[0];
    if (!settings || !address) throw new Error("the URL has no address");
    const events: (readonly [event: string, isWritable: boolean])[] = [];
    const newNode = createNodeFactory({
      settings,
      onFailure() {},
      onConnect() {},
      newTimeBudget: () => constantTimeBudget(10_000),
    });
    const node = newNode(address, {
      lost: () => events.push(["lost", node.isWritable()]),
      usable: () => events.push(["usable", node.isWritable()]),
    });
    onTestFinished(() => node.disconnect());
    await expect.poll(() => events).toEqual([["usable", true]]);
    await lose();
    void node.recheck();
    await expect.poll(() => events.length).toBeGreaterThan(1);
    await mend();
    await expect.poll(() => events.at(-1)).toEqual(["usable", true]);
    expect(events.filter(([event]) => event === "lost")).not.toContainEqual(["lost", true]);
    expect(events.length).toBeGreaterThan(2);
  },
);
