import { beforeAll, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
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
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  readonly retryAfter: number;
  readonly policy: string | undefined;
  readonly standing: string;
}

/** Sends `count` requests, `parallel` at a time, alternating between the clients. */
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
 * Checks that all processes count the requests of a burst with one counter: the account's quota was spent exactly
 * once, and the headers of every response are right.
 *
 * @param bannedAfter number of refusals before the one that bans the key
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

  // A reset is by the clock of its response, and the window by that of Redis. So it can be rounded up to the next second.
  const clockSeconds = 1;
  // The limit counts the requests of the last 60 s in buckets of 1 s, so that a bucket leaves it after 61 s.
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
    expect(each.reset).toBeLessThanOrEqual(resetsAt(ended) + clockSeconds);
  }
  // A request that was admitted later does not report an earlier reset.
  const byRemaining = [...passed].sort((a, b) => b.remaining - a.remaining);
  for (const [index, { reset }] of byRemaining.slice(1).entries()) {
    expect(reset).toBeGreaterThanOrEqual((byRemaining[index]?.reset ?? 0) - clockSeconds);
  }

  const limited = refused.filter((each) => !each.banned);
  expect(limited).toHaveLength(Math.min(bannedAfter, refused.length));
  for (const each of refused) {
    expect(Math.abs(each.reset - (lastReset ?? 0))).toBeLessThanOrEqual(clockSeconds);
    // The window, and a ban, begin with the burst at the earliest.
    expect(each.retryAfter).toBeGreaterThanOrEqual(60 - Math.ceil((ended - begun) / 1000));
    // A ban lasts 60 s, but the first bucket leaves the minute after 61 s.
    expect(each.retryAfter).toBeLessThanOrEqual(61);
  }
  expect(passed.every((each) => Number.isNaN(each.retryAfter))).toBe(true);
}

const free = [60, 1_000] as const;

test("a free key over two processes and three protocols: 60 of 500 requests get 200, and the 61st refusal bans the key", async () => {
  const key = await makeKey("freebbbbbbbb", { plan: "free" });
  const clients = pair.flatMap(({ url }) => [
    restClient(url, key, keepAlive(50)),
    connectClient(url, key, keepAlive(50)),
    grpcClient(url, key),
  ]);
  expectOneCounter(await burst(clients, 500), free, 60);
});

test("two keys of one account share its quota, over both processes", async () => {
  const first = await makeKey("freecccccccc", { plan: "free" });
  const second = (await addKey(own.stores, "freecccccccc")).secret;
  const [one, two] = pair.map(({ url }, index) =>
    restClient(url, index === 0 ? first : second, keepAlive(50)),
  );
  if (!one || !two) {
    throw new Error("no servers");
  }
  // Each key is refused at most 50 times, so that neither is banned.
  expectOneCounter(await burst([one, two], 100), free, 40);
});

test("batches and single requests of a key over two processes never exceed its limit", async () => {
  const key = await makeKey("bzcccccccccc", { plan: "business" });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const items = Array.from({ length: 200 }, (_, index) => ({
    petId: BigInt(index + 1),
    quantity: 0,
    status: PetStatus.AVAILABLE,
  }));
  await own.stores.inventory.put(items);
  const updates = items.map(({ petId }) => ({ petId: Number(petId), quantity: 1 }));
  const body = JSON.stringify({ updates });
  const begun = Date.now();
  let spent = 0;
  let refusedBatches = 0;

  async function send(index: number): Promise<void> {
    const server = pair[index % pair.length];
    const isBatch = index % 3 > 0;
    const reply = await (isBatch
      ? fetch(`${server?.url}/v1/inventory:batchUpdate`, { method: "POST", headers, body })
      : fetch(`${server?.url}/v1/inventory/1`, { headers }));
    await reply.arrayBuffer();
    expect([200, 429]).toContain(reply.status);
    if (reply.status === 200) spent += isBatch ? 10 : 1;
    else if (isBatch) refusedBatches += 1;
  }

  let next = 0;
  const worker = async () => {
    for (let index = next++; index < 300; index = next++) await send(index);
  };
  await Promise.all(Array.from({ length: 30 }, worker));
  // All requests were within one window, so that the account has spent exactly the cost of the admitted ones.
  expect(Date.now() - begun).toBeLessThan(55_000);
  expect(refusedBatches).toBeGreaterThan(0);
  expect(spent).toBeGreaterThan(1_000 - 10 * 30);
  expect(spent).toBeLessThanOrEqual(1_000);
  const last = await fetch(`${pair[0]?.url}/v1/inventory/1`, { headers });
  const left = Math.max(0, 1_000 - spent - (last.status === 200 ? 1 : 0));
  expect(last.headers.get("x-ratelimit-remaining")).toBe(String(left));
});
