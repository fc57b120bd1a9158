import { expect, test } from "vitest";
import { minRefusalsBeforeBan } from "../../src/access/bans.ts";
import { scopes } from "../../src/access/scopes.ts";
import { bearer, describeApi, ownAccount, type Parts } from "./support.ts";

const minute = 60_000;
const day = 86_400_000;

describeApi("GET /v1/usage in $name", (contract) => {
  async function usage(parts?: Parts) {
    const reply = await contract.send("GET /v1/usage", parts);
    expect(reply.status).toBe(200);
    return JSON.parse(reply.body);
  }

  async function list(times: number, key = contract.own): Promise<void> {
    for (let at = 0; at < times; at += 1) {
      await contract.send("GET /v1/inventory", { authorization: bearer(key) });
    }
  }

  test("200 with all scopes for a key with the scope admin", async () => {
    const key = await contract.newKey({ scopes: ["admin"] });
    expect((await usage({ authorization: bearer(key) })).scopes).toEqual(scopes);
  });

  test("200 with the account, its limits and the calling key", async () => {
    const { keyId } = contract.own;
    const body = await usage();
    expect(body).toMatchObject({
      keyId,
      scopes: ["inventory:read", "inventory:write", "store:read", "store:write", "catalog:write"],
      usage: {
        accountId: ownAccount,
        name: "test",
        plan: "free",
        reportedAt: "2026-07-15T10:20:30.400Z",
        minute: {
          limit: 60,
          remaining: 59,
          moreAt: "2026-07-15T10:21:31Z",
          resetAt: "2026-07-15T10:21:31Z",
        },
        day: {
          limit: 1000,
          remaining: 999,
          moreAt: "2026-07-16T10:30:00Z",
          resetAt: "2026-07-16T10:30:00Z",
        },
        keys: [{ keyId, name: "", lastUsedAt: "2026-07-15T10:20:00Z" }],
      },
    });
  });

  test("200 with the requests of the last hour, this one included", async () => {
    await list(2);
    contract.server.clock.now += 10 * minute;
    await list(3);
    const { lastHour } = (await usage()).usage;
    expect(lastHour).toHaveLength(60);
    expect(lastHour.at(0)).toEqual({
      startAt: "2026-07-15T09:31:00Z",
      requests: { admitted: 0, limited: 0, banned: 0 },
    });
    expect(lastHour.at(-11)).toEqual({
      startAt: "2026-07-15T10:20:00Z",
      requests: { admitted: 2, limited: 0, banned: 0 },
    });
    expect(lastHour.at(-1)).toEqual({
      startAt: "2026-07-15T10:30:00Z",
      requests: { admitted: 4, limited: 0, banned: 0 },
    });
  });

  test("200 with the requests of 30 days by key, those with most requests first", async () => {
    const other = await contract.newKey();
    await list(1);
    contract.server.clock.now += 29 * day;
    await list(3, other);
    const { lastDays } = (await usage()).usage;
    expect(lastDays).toHaveLength(30);
    expect(lastDays.at(0)).toEqual({
      date: "2026-07-15",
      requests: { admitted: 1, limited: 0, banned: 0 },
      keys: [{ keyId: contract.own.keyId, requests: { admitted: 1, limited: 0, banned: 0 } }],
    });
    expect(lastDays.at(-1)).toEqual({
      date: "2026-08-13",
      requests: { admitted: 4, limited: 0, banned: 0 },
      keys: [
        { keyId: other.keyId, requests: { admitted: 3, limited: 0, banned: 0 } },
        { keyId: contract.own.keyId, requests: { admitted: 1, limited: 0, banned: 0 } },
      ],
    });
    contract.server.clock.now += day;
    expect((await usage()).usage.lastDays.at(0)).toEqual({
      date: "2026-07-16",
      requests: { admitted: 0, limited: 0, banned: 0 },
      keys: [],
    });
  });

  test("200 with the end of a ban", async () => {
    const other = await contract.newKey();
    await contract.spend(60 + minRefusalsBeforeBan + 1, other);
    await contract.server.stores.accounts.update(ownAccount, { choice: { plan: "pro" } });
    const { keys } = (await usage()).usage;
    const ends = keys.map((key: { keyId: string; bannedUntil?: string }) => [
      key.keyId,
      key.bannedUntil,
    ]);
    expect(Object.fromEntries(ends)).toEqual({
      [contract.own.keyId]: undefined,
      [other.keyId]: "2026-07-15T10:21:30.400Z",
    });
  });

  test("RPC returns the same report", async () => {
    await list(1);
    const reply = await contract.call("usage.v1.UsageService/GetUsage", {});
    expect(JSON.parse(reply.body)).toMatchObject({
      keyId: contract.own.keyId,
      usage: { accountId: ownAccount, minute: { limit: "60", remaining: "58" } },
    });
  });
});
