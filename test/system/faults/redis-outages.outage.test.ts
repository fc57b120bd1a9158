import { beforeAll, describe, expect, test } from "vitest";
import { useRedis } from "../../support/stores.ts";
import type { RedisServer } from "../harness/redis-server.ts";
import { until } from "../harness/until.ts";
import { settleAccounts } from "./adjuster.ts";
import { recoverWithinMs, setUpMs } from "./bounds.ts";
import { expectFewErrors, expectHonest, expectRecovered, useFleet } from "./fleet.ts";
import { codesOf } from "./traffic.ts";

/** How Redis stops to respond, how that ends, and the failed attempts to connect in the meantime. */
const outages: readonly (readonly [
  how: string,
  begin: (redis: RedisServer) => unknown,
  end: (redis: RedisServer) => unknown,
  attempts: number,
])[] = [
  ["killed", (redis) => redis.kill(), (redis) => redis.start(), 3],
  ["stalled", (redis) => redis.pause(), (redis) => redis.resume(), 2],
];

describe.each(outages)("Redis is %s", (_, begin, end, attempts) => {
  const redis = useRedis("--appendonly", "yes", "--appendfsync", "always");
  const fleet = useFleet(() => ({ REDIS_URL: redis.url }));
  beforeAll(() => void redis.client.on("error", () => {})); // the client reconnects

  test(
    "503 in time; afterwards recovery in time, and no change is lost, made twice, or made after a later one",
    async () => {
      const { adjusters, of, servers, stores, traffic } = fleet;
      await fleet.more(20);
      expect(codesOf(of("good"))).toEqual(["ok"]);

      await begin(redis.server);
      const from = performance.now();
      await fleet.more(3);
      for (const server of servers) await server.printed("redis is not available", attempts);
      const to = performance.now();
      const during = of("good").filter(({ sentAt, endedAt }) => sentAt > from && endedAt < to);
      expect(codesOf(during)).toEqual(["unavailable"]);

      await end(redis.server);
      const back = performance.now();
      const over = back + recoverWithinMs;
      await until("the time for the recovery is over", () => performance.now() > over);
      await fleet.more(10);
      await traffic.stop();

      expectRecovered(fleet, "good", back);
      expectHonest(fleet);
      expectFewErrors(of("good"), [{ from, to: over }]);
      const changes = (await stores.inventory.changesSince(0n, 1_000_000))?.changes ?? [];
      const made = changes.filter(({ reference }) => reference !== "");
      const none = { doubled: [], lost: [], denied: [], unknown: [] };
      expect(settleAccounts(adjusters, made)).toEqual(none);
      expect(await fleet.quantity()).toBe(made.length);
      // Redis may still read given-up changes from the old connection, but none after later ones.
      for (const { worker } of adjusters) {
        const own = made.filter(({ reference }) => reference.startsWith(`${worker} `));
        const numbers = own.map(({ reference }) => Number(reference.split(" ").at(-1)));
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      }
    },
    4 * setUpMs,
  );
});
