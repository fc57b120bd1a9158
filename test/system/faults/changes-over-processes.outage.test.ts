import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AdminService, Plan } from "../../../gen/admin/v1/admin_pb.ts";
import { scopes } from "../../../src/access/scopes.ts";
import { withKey } from "../../support/accounts.ts";
import { useRedis } from "../../support/stores.ts";
import { useServers } from "../harness/server-process.ts";
import { keepAlive, type Reply, send } from "./client.ts";
import { useStores } from "./stores.ts";

const redis = useRedis();
const servers = useServers();
const agent = keepAlive();
const rounds = 25;

/** Two server processes: the test changes something through one, and the other must apply it at once. */
interface Pair {
  readonly admin: ReturnType<typeof adminClient>;
  list(key: string): Promise<Reply>;
}
const own: { pair?: Pair } = {};

function adminClient(url: string, key: string) {
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: "1.1",
    nodeOptions: { agent },
    interceptors: [withKey(key)],
  });
  return createClient(AdminService, transport);
}

const operator = useStores(redis, undefined, scopes);

beforeAll(async () => {
  const [one, other] = await Promise.all([
    servers.start({ REDIS_URL: redis.url }),
    servers.start({ REDIS_URL: redis.url }),
  ]);
  own.pair = {
    admin: adminClient(one.url, operator.key),
    list: (key) => send(`${other.url}/v1/inventory`, { key, agent }),
  };
});
afterAll(() => agent.destroy());

function pair(): Pair {
  if (!own.pair) throw new Error("Use the servers only while a test runs.");
  return own.pair;
}

async function newAccount(plan: Plan): Promise<string> {
  const { account } = await pair().admin.createAccount({ name: "test", plan });
  return account?.accountId ?? "";
}

test("a new key gets 200 from the other process at once, and 401 at once after it is revoked", async () => {
  const { admin, list } = pair();
  const accountId = await newAccount(Plan.BUSINESS);
  for (let round = 0; round < rounds; round++) {
    const { secret, key } = await admin.createKey({ accountId });
    const before = await list(secret);
    await admin.revokeKey({ keyId: key?.keyId ?? "" });
    const after = await list(secret);
    expect([before.status, after.status]).toEqual([200, 401]);
    expect(after.headers["www-authenticate"]).toContain('error="invalid_token"');
  }
});

test("401 for each request sent after the response to the revocation, under load", async () => {
  const { admin, list } = pair();
  const { secret, key } = await admin.createKey({ accountId: await newAccount(Plan.BUSINESS) });
  const results: { readonly sentAt: number; readonly endedAt: number; readonly status: number }[] =
    [];
  let stop = false;
  const traffic = Array.from({ length: 8 }, async () => {
    while (!stop) {
      const sentAt = performance.now();
      const { status } = await list(secret);
      results.push({ sentAt, endedAt: performance.now(), status });
    }
  });
  await expect.poll(() => results.length, { interval: 2 }).toBeGreaterThan(50);
  const revokedAt = performance.now();
  await admin.revokeKey({ keyId: key?.keyId ?? "" });
  const confirmedAt = performance.now();
  const late = () => results.filter(({ sentAt }) => sentAt > confirmedAt);
  await expect.poll(() => late().length, { interval: 2 }).toBeGreaterThan(50);
  stop = true;
  await Promise.all(traffic);
  const early = results.filter(({ endedAt }) => endedAt < revokedAt);
  expect(new Set(early.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(late().map(({ status }) => status))).toEqual(new Set([401]));
});

test("a new plan applies to the next request", async () => {
  const { admin, list } = pair();
  const accountId = await newAccount(Plan.FREE);
  const { secret } = await admin.createKey({ accountId });
  const limits = [
    [Plan.PRO, undefined, "300"],
    [Plan.ENTERPRISE, { perMinute: 7n, perDay: 70n }, "7"],
    [Plan.ENTERPRISE, { perMinute: 8n, perDay: 70n }, "8"],
    [Plan.FREE, undefined, "60"],
    [Plan.BUSINESS, undefined, "1000"],
  ] as const;
  for (const [index, [plan, own, limit]] of limits.entries()) {
    await admin.setPlan({ accountId, plan, limits: own });
    const { status, headers } = await list(secret);
    expect([status, headers["x-ratelimit-limit"]]).toEqual([200, limit]);
    expect(headers["x-ratelimit-remaining"]).toBe(String(Number(limit) - 1 - index));
  }
});

test("after a ban is lifted, the next request gets 200", async () => {
  const { admin, list } = pair();
  const accountId = await newAccount(Plan.FREE);
  const { secret, key } = await admin.createKey({ accountId });
  const replies = await Promise.all(Array.from({ length: 130 }, () => list(secret)));
  expect(replies.filter(({ body }) => body.includes("banned"))).toHaveLength(10);
  // The ban belongs to the key, not to the account: a larger plan does not lift it.
  await admin.setPlan({ accountId, plan: Plan.BUSINESS });
  expect((await list(secret)).status).toBe(429);
  await admin.unbanKey({ keyId: key?.keyId ?? "" });
  expect((await list(secret)).status).toBe(200);
});
