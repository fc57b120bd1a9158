import { describe, expect, test } from "vitest";
import { someTime, storeKinds } from "../support/stores.ts";
import {
  bearer,
  type Contract,
  expectError,
  expectLimits,
  freeAfter,
  type Reply,
  useContract,
} from "./support.ts";

const list = "GET /v1/inventory";
const listMethod = "inventory.v1.InventoryService/ListInventory";

describe.each(storeKinds)("requests without a valid key in $name", (kind) => {
  const contract = useContract(kind, { ANONYMOUS_PER_MINUTE: "2", ANONYMOUS_PER_DAY: "5" });
  const { send } = contract;
  const anonymous = (headers = {}) => send(list, { authorization: null, headers });

  const invalid: readonly ((contract: Contract) => Promise<Reply>)[] = [
    ({ send }) => send(list, { authorization: null }),
    ({ send }) => send("GET /v1/nothing", { authorization: "Bearer nonsense" }),
    ({ call }) => call(listMethod, {}, { authorization: null }),
    async ({ server, newKey, send }) => {
      const key = await newKey();
      await server.stores.accounts.revokeKey(key.keyId);
      return send(list, { authorization: bearer(key) });
    },
  ];

  test("401 up to the limit of the address, then 429 until Retry-After has passed", async () => {
    const statuses = [];
    for (const ask of invalid.slice(0, 2)) {
      const reply = await ask(contract);
      statuses.push(reply.status, reply.headers["x-ratelimit-remaining"]);
    }
    expect(statuses).toEqual([401, "1", 401, "0"]);
    for (const ask of invalid) {
      const reply = await ask(contract);
      expect(reply.status).toBe(429);
      expect(reply.headers["retry-after"]).toBe("61");
      expectLimits(reply, {
        limit: 2,
        remaining: 0,
        reset: "2026-07-15T10:21:31Z",
        minute: [2, 0, 61],
        day: [5, 3, 24 * 3600 + 9 * 60 + 30],
      });
    }
    contract.server.clock.now += 60_000;
    expectError(await anonymous(), 429, "resource_exhausted", "address");
    contract.server.clock.now += 1_000;
    expectError(await anonymous(), 401, "unauthenticated");
  });

  test("an address is never banned", async () => {
    await anonymous();
    await anonymous();
    await Promise.all(Array.from({ length: 100 }, () => anonymous()));
    contract.server.clock.now += 61_000;
    expect((await anonymous()).status).toBe(401);
  });

  test("200 for a valid key when the limit of its address is reached", async () => {
    await anonymous();
    await anonymous();
    expect((await anonymous()).status).toBe(429);
    const reply = await send(list);
    expect(reply.status).toBe(200);
    expectLimits(reply, freeAfter(1));
  });

  test("requests with valid keys do not count by address, even with 403 or 429", async () => {
    const key = await contract.newKey({ scopes: ["store:read"] });
    expect((await send(list, { authorization: bearer(key) })).status).toBe(403);
    await contract.spend(60);
    expect((await send(list)).status).toBe(429);
    expect((await send(list)).status).toBe(429);
    expect((await anonymous()).headers["x-ratelimit-remaining"]).toBe("1");
  });

  test("invalid keys do not count against the account in the key", async () => {
    const key = await contract.newKey();
    await contract.server.stores.accounts.revokeKey(key.keyId);
    await send(list, { authorization: bearer(key) });
    await send(list, { authorization: `Bearer ${contract.own.secret.slice(0, -1)}` });
    expectLimits(await send(list), freeAfter(1));
  });

  test("X-Forwarded-For is ignored without trusted proxies", async () => {
    await anonymous({ "x-forwarded-for": "203.0.113.1" });
    await anonymous({ "x-forwarded-for": "203.0.113.2" });
    expect((await anonymous({ "x-forwarded-for": "203.0.113.3" })).status).toBe(429);
  });
});

describe.each(storeKinds)("requests through trusted proxies in $name", (kind) => {
  const contract = useContract(kind, {
    ANONYMOUS_PER_MINUTE: "10",
    TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8, 2001:db8:ffff::/48",
  });

  /** Sends a request, and returns how many more the address may send. */
  async function left(forwardedFor: string | string[] | undefined): Promise<number> {
    const headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
    const reply = await contract.send(list, { authorization: null, headers });
    expect(reply.status).toBe(401);
    return Number(reply.headers["x-ratelimit-remaining"]);
  }

  test("each client has its own limit", async () => {
    expect(await left("203.0.113.1")).toBe(9);
    expect(await left("203.0.113.1")).toBe(8);
    expect(await left("203.0.113.2")).toBe(9);
    expect(await left(undefined)).toBe(9);
  });

  test("a valid key counts by account, not by address", async () => {
    const headers = { "x-forwarded-for": "203.0.113.1" };
    expect(contract.server.clock.now).toBe(someTime);
    const reply = await contract.send(list, { headers });
    expectLimits(reply, freeAfter(1));
    expect(await left("203.0.113.1")).toBe(9);
  });
});
