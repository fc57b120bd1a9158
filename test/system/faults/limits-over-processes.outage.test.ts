import { beforeAll, expect, test } from "vitest";
import type { PlanChoice } from "../../../src/access/plans.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { useRedis } from "../../support/stores.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { type Client, connectClient, grpcClient, keepAlive, restClient } from "./client.ts";
import { useStores } from "./stores.ts";

const redis = useRedis();
const servers = useServers();
const own = useStores(redis);
let pair: ServerProcess[] = [];

beforeAll(async () => {
  pair = await Promise.all([0, 1].map(() => servers.start({ REDIS_URL: redis.url })));
});

async function makeKey(accountId: string, choice: PlanChoice): Promise<string> {
  await addAccount(own.stores, choice, accountId);
  return (await addKey(own.stores, accountId)).secret;
}

/** The rate-limit data of one response. */
interface Seen {
  readonly code: string;
  readonly banned: boolean;
  readonly remaining: number;
  readonly reset: number;
}

/** Sends `count` requests, `parallel` at a time, alternating between the clients. */
async function burst(clients: readonly Client[], count: number, parallel = count) {
  const seen: Seen[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) {
      const client = clients[index % clients.length];
      if (!client) throw new Error("no clients");
      const { code, message, header } = await client.list();
      seen.push({
        code,
        banned: message.includes("banned"),
        remaining: Number(header("x-ratelimit-remaining")),
        reset: Number(header("x-ratelimit-reset")),
      });
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return seen;
}

/**
 * Checks that all processes count the requests of a burst with one counter: the quota of 60 a minute was spent exactly
 * once. contract/limits.test.ts checks all headers.
 *
 * @param bannedAfter number of refusals before the one that bans the key
 */
function expectOneCounter(seen: readonly Seen[], bannedAfter: number): void {
  const passed = seen.filter(({ code }) => code === "ok");
  const refused = seen.filter(({ code }) => code === "resource_exhausted");
  expect(passed.length + refused.length).toBe(seen.length);
  const remaining = passed.map((each) => each.remaining).sort((a, b) => a - b);
  expect(remaining).toEqual(Array.from({ length: 60 }, (_, index) => index));
  expect(new Set(refused.map((each) => each.remaining))).toEqual(new Set([0]));
  // A request that was admitted later does not report an earlier reset, but a reset can be rounded up to the next second.
  const byRemaining = [...passed].sort((a, b) => b.remaining - a.remaining);
  for (const [index, { reset }] of byRemaining.slice(1).entries()) {
    expect(reset).toBeGreaterThanOrEqual((byRemaining[index]?.reset ?? 0) - 1);
  }
  expect(refused.filter((each) => !each.banned)).toHaveLength(
    Math.min(bannedAfter, refused.length),
  );
}

test("a free key over two processes and three protocols: 60 of 500 requests get 200, and the 61st refusal bans the key", async () => {
  const key = await makeKey("freebbbbbbbb", { plan: "free" });
  const clients = pair.flatMap(({ url }) => [
    restClient(url, key, keepAlive(50)),
    connectClient(url, key, keepAlive(50)),
    grpcClient(url, key),
  ]);
  expectOneCounter(await burst(clients, 500), 60);
});

test("two keys of one account share its quota, over both processes", async () => {
  const first = await makeKey("freecccccccc", { plan: "free" });
  const second = (await addKey(own.stores, "freecccccccc")).secret;
  const [one, two] = pair.map(({ url }, index) =>
    restClient(url, index === 0 ? first : second, keepAlive(50)),
  );
  if (!one || !two) throw new Error("no servers");
  // Each key is refused at most 50 times, so that neither is banned.
  expectOneCounter(await burst([one, two], 100), 40);
});
