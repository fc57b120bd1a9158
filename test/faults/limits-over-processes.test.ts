import { afterAll, beforeAll, expect, test } from "vitest";
import type { PlanChoice } from "../../src/access/plans.ts";
import { createRedisStores } from "../../src/redis/stores.ts";
import type { Stores } from "../../src/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useRedis } from "../support/stores.ts";
import { type Client, connectClient, grpcClient, keepAlive, restClient } from "./client.ts";
import { type ServerProcess, useServers } from "./server-process.ts";

const redis = useRedis();
const servers = useServers();
const own: { stores?: Stores; servers: ServerProcess[] } = { servers: [] };

beforeAll(async () => {
  own.stores = createRedisStores(redis.url);
  await own.stores.ready(5_000);
  own.servers = await Promise.all([
    servers.start({ REDIS_URL: redis.url }),
    servers.start({ REDIS_URL: redis.url }),
  ]);
});
afterAll(() => own.stores?.close());

async function makeKey(accountId: string, choice: PlanChoice): Promise<string> {
  if (!own.stores) {
    throw new Error("no stores");
  }
  await addAccount(own.stores, choice, accountId);
  return (await addKey(own.stores, accountId)).secret;
}

/** What a caller sees of its limits in one answer. */
interface Seen {
  readonly code: string;
  readonly banned: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  readonly retryAfter: number;
  readonly policy: string | undefined;
  readonly standing: string;
}

/** Sends requests, so many at a time, in turn by each of the clients. */
async function burst(clients: readonly Client[], count: number, parallel = count) {
  const begun = Date.now();
  const seen: Seen[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) {
      const client = clients[index % clients.length];
      if (!client) {
        throw new Error("no clients");
      }
      const { code, message, header } = await client.list();
      seen.push({
        code,
        banned: message.includes("banned"),
        limit: Number(header("x-ratelimit-limit")),
        remaining: Number(header("x-ratelimit-remaining")),
        reset: Number(header("x-ratelimit-reset")),
        retryAfter: Number(header("retry-after") ?? Number.NaN),
        policy: header("ratelimit-policy"),
        standing: header("ratelimit") ?? "",
      });
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return { seen, begun, ended: Date.now() };
}

/**
 * Holds that a burst on an unused account was decided as if by one counter: the quota was given out
 * once, one by one, and every answer tells the truth.
 *
 * @param bannedAfter refusals that come before the one that bans the key
 */
function expectOneCounter(
  { seen, begun, ended }: Awaited<ReturnType<typeof burst>>,
  [perMinute, perDay]: readonly [number, number],
  bannedAfter: number,
): void {
  const passed = seen.filter(({ code }) => code === "ok");
  const refused = seen.filter(({ code }) => code === "resource_exhausted");
  expect([...new Set(seen.map(({ code }) => code))].sort()).toEqual(["ok", "resource_exhausted"]);
  expect(passed).toHaveLength(perMinute);

  const remaining = passed.map((each) => each.remaining).sort((a, b) => a - b);
  expect(remaining).toEqual(Array.from({ length: perMinute }, (_, index) => index));
  expect(new Set(refused.map((each) => each.remaining))).toEqual(new Set([0]));

  // The bucket of a request counts until it and the 60 after it have ended.
  const resetsAt = (ms: number) => Math.floor(ms / 1000) + 61;
  const lastReset = passed.find((each) => each.remaining === 0)?.reset;
  for (const each of seen) {
    expect(each.limit).toBe(perMinute);
    expect(each.policy).toBe(`"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`);
    const left = /^"minute";r=(\d+);t=(\d+), "day";r=(\d+);t=(\d+)$/.exec(each.standing);
    const [minuteLeft, minuteMore, dayLeft, dayMore] = (left ?? []).slice(1).map(Number);
    expect(minuteLeft).toBe(each.remaining);
    expect(dayLeft).toBe(perDay - perMinute + each.remaining);
    expect(minuteMore).toBeGreaterThanOrEqual(60 - Math.ceil((ended - begun) / 1000));
    expect(minuteMore).toBeLessThanOrEqual(61);
    expect(dayMore).toBeGreaterThanOrEqual(86_400 - Math.ceil((ended - begun) / 1000));
    expect(dayMore).toBeLessThanOrEqual(86_400 + 900);
    expect(each.reset).toBeGreaterThanOrEqual(resetsAt(begun));
    expect(each.reset).toBeLessThanOrEqual(resetsAt(ended));
  }
  // Those that are given more later are not told an earlier reset.
  const byRemaining = [...passed].sort((a, b) => b.remaining - a.remaining);
  expect(byRemaining.map(({ reset }) => reset)).toEqual(
    byRemaining.map(({ reset }) => reset).sort((a, b) => a - b),
  );

  const limited = refused.filter((each) => !each.banned);
  expect(limited).toHaveLength(Math.min(bannedAfter, refused.length));
  for (const each of refused) {
    expect(each.reset).toBe(lastReset);
    // Nothing of the burst can have left the window, or the ban have begun, before the burst.
    expect(each.retryAfter).toBeGreaterThanOrEqual(60 - Math.ceil((ended - begun) / 1000));
    // A ban lasts 60 s, but the minute is full until its first bucket leaves it.
    expect(each.retryAfter).toBeLessThanOrEqual(61);
  }
  expect(passed.every((each) => Number.isNaN(each.retryAfter))).toBe(true);
}

const free = [60, 1_000] as const;
const business = [1_000, 100_000] as const;

test("a free key over two processes: 60 of 500, and the 61st refusal bans", async () => {
  const key = await makeKey("freeaaaaaaaa", { plan: "free" });
  const clients = own.servers.map(({ url }) => restClient(url, key, keepAlive(100)));
  expectOneCounter(await burst(clients, 500), free, 60);
});

test("a free key over two processes and three protocols", async () => {
  const key = await makeKey("freebbbbbbbb", { plan: "free" });
  const clients = own.servers.flatMap(({ url }) => [
    restClient(url, key, keepAlive(50)),
    connectClient(url, key, keepAlive(50)),
    grpcClient(url, key),
  ]);
  expectOneCounter(await burst(clients, 500), free, 60);
});

test("a business key over two processes: 1,000 of 1,500, and no ban", async () => {
  const key = await makeKey("bzaaaaaaaaaa", { plan: "business" });
  const clients = own.servers.map(({ url }) => restClient(url, key, keepAlive(100)));
  expectOneCounter(await burst(clients, 1_500, 300), business, 1_000);
});

test("a business key over two processes and three protocols", async () => {
  const key = await makeKey("bzbbbbbbbbbb", { plan: "business" });
  const clients = own.servers.flatMap(({ url }) => [
    restClient(url, key, keepAlive(50)),
    connectClient(url, key, keepAlive(50)),
    grpcClient(url, key),
  ]);
  expectOneCounter(await burst(clients, 1_200, 300), business, 1_000);
});

test("two keys of one account share its quota, over both processes", async () => {
  const first = await makeKey("freecccccccc", { plan: "free" });
  if (!own.stores) {
    throw new Error("no stores");
  }
  const second = (await addKey(own.stores, "freecccccccc")).secret;
  const [one, two] = own.servers.map(({ url }, index) =>
    restClient(url, index === 0 ? first : second, keepAlive(50)),
  );
  if (!one || !two) {
    throw new Error("no servers");
  }
  // Each key is refused at most 50 times: no ban.
  expectOneCounter(await burst([one, two], 100), free, 40);
});
