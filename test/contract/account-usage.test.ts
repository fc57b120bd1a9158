import { describe, expect, test } from "vitest";
import { TopAccountsOrder } from "../../gen/admin/v1/admin_pb.ts";
import { minRefusalsBeforeBan } from "../../src/access/bans.ts";
import { addKey, type TestKey } from "../support/accounts.ts";
import { bearer, describeApi, failure, ownAccount, useOperator } from "./support.ts";

const other = "bbbbbbbbbbbb";
const operatorAccount = "cccccccccccc";
const limit = 60;

describeApi("usage for operators in $name", (contract) => {
  const { admin } = useOperator(contract);

  async function list(times: number, key: TestKey = contract.own): Promise<void> {
    for (let at = 0; at < times; at += 1) {
      await contract.send("GET /v1/inventory", { authorization: bearer(key) });
    }
  }

  /**
   * Bans a key. Usage counts only the last of the requests that this takes, which is the first one to be banned.
   *
   * @param remaining the requests that the account has left
   */
  async function ban(key: TestKey, remaining = limit): Promise<void> {
    await contract.spend(remaining + minRefusalsBeforeBan, key, key.keyId.slice(0, 12));
    await list(1, key);
  }

  describe("GetAccountUsage", () => {
    test("returns the usage of any account", async () => {
      await list(3);
      const { usage } = await admin.getAccountUsage({ accountId: ownAccount });
      expect(usage).toMatchObject({
        accountId: ownAccount,
        name: "test",
        plan: "free",
        minute: { limit: 60n, remaining: 57n },
        day: { limit: 1000n, remaining: 997n },
      });
      expect(usage?.lastHour.at(-1)?.requests?.admitted).toBe(3n);
      expect(usage?.lastDays.at(-1)?.requests?.admitted).toBe(3n);
    });

    test("reports full windows of an account that has used nothing", async () => {
      const { usage } = await admin.getAccountUsage({ accountId: ownAccount });
      expect(usage?.minute).toMatchObject({ limit: 60n, remaining: 60n });
      expect(usage?.minute?.moreAt).toBeUndefined();
      expect(usage?.minute?.resetAt).toBeUndefined();
    });

    test("not_found for an account that does not exist", async () => {
      const error = await failure(admin.getAccountUsage({ accountId: "zzzzzzzzzzzz" }));
      expect(error.rawMessage).toContain("zzzzzzzzzzzz");
    });
  });

  describe("ListTopAccounts", () => {
    test("returns the accounts with most requests of today first", async () => {
      const key = await contract.newAccount(other, { plan: "pro" });
      await list(4);
      await list(7, key);
      const { accounts } = await admin.listTopAccounts({});
      expect(accounts.map(({ account, today }) => [account?.accountId, today?.admitted])).toEqual([
        [other, 7n],
        [ownAccount, 4n],
        [operatorAccount, 1n],
      ]);
      expect(accounts[0]).toMatchObject({
        minute: { limit: 300n, remaining: 293n },
        bannedKeys: 0,
      });
    });

    test("returns only accounts with refused requests, if those are asked for", async () => {
      const key = await contract.newAccount(other, { plan: "free" });
      await list(limit + 2);
      await ban(key);
      await list(3, key);
      const { accounts } = await admin.listTopAccounts({ order: TopAccountsOrder.REFUSED });
      expect(
        accounts.map(({ account, today, bannedKeys }) => [account?.accountId, today, bannedKeys]),
      ).toMatchObject([
        [other, { admitted: 0n, limited: 0n, banned: 4n }, 1],
        [ownAccount, { admitted: 60n, limited: 2n, banned: 0n }, 0],
      ]);
    });

    test("leaves out deleted accounts, whose place another one takes", async () => {
      const key = await contract.newAccount(other, { plan: "pro" });
      await list(9, key);
      await admin.listTopAccounts({});
      // These are counted, but are not in the store when the account is deleted.
      await list(9, key);
      await admin.deleteAccount({ accountId: other });
      const { accounts } = await admin.listTopAccounts({ pageSize: 1 });
      expect(accounts.map(({ account }) => account?.accountId)).toEqual([operatorAccount]);
    });

    test("returns at most as many as asked for, and nothing of yesterday", async () => {
      await list(4);
      const { accounts } = await admin.listTopAccounts({ pageSize: 1 });
      expect(accounts.map(({ account }) => account?.accountId)).toEqual([ownAccount]);
      contract.server.clock.now += 86_400_000;
      const tomorrow = await admin.listTopAccounts({});
      expect(tomorrow.accounts.map(({ account }) => account?.accountId)).toEqual([operatorAccount]);
    });
  });

  describe("ListBans", () => {
    test("returns banned keys, those whose ban ends first at the beginning", async () => {
      const key = await contract.newAccount(other, { plan: "free" });
      await ban(contract.own);
      contract.server.clock.now += 5_000;
      await ban(key);
      const { bans, nextPageToken } = await admin.listBans({});
      expect(nextPageToken).toBe("");
      expect(bans).toMatchObject([
        { accountName: "test", level: 1, key: { keyId: contract.own.keyId } },
        { accountName: "test", level: 1, key: { keyId: key.keyId, accountId: other } },
      ]);
    });

    test("leaves out bans that are over or were lifted", async () => {
      const key = await contract.newAccount(other, { plan: "free" });
      await ban(contract.own);
      await ban(key);
      await admin.unbanKey({ keyId: key.keyId });
      const { bans } = await admin.listBans({});
      expect(bans.map((each) => each.key?.keyId)).toEqual([contract.own.keyId]);
      contract.server.clock.now += 60_000;
      expect((await admin.listBans({})).bans).toEqual([]);
    });

    test("returns every ban once, page by page, when all end in the same millisecond", async () => {
      const accounts = [ownAccount, "dddddddddddd", "eeeeeeeeeeee"];
      const keys = [contract.own, await contract.newKey()];
      for (const accountId of accounts.slice(1)) {
        keys.push(await contract.newAccount(accountId, { plan: "free" }));
        keys.push(await addKey(contract.server.stores, accountId));
      }
      for (const [at, key] of keys.entries()) await ban(key, at % 2 === 0 ? limit : 0);
      const found: (string | undefined)[] = [];
      let pageToken = "";
      do {
        const page = await admin.listBans({ pageSize: 1, pageToken });
        found.push(...page.bans.map(({ key }) => key?.keyId));
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      expect(found).toEqual(keys.map(({ keyId }) => keyId).sort());
    });

    test("misses none when the last key of a page is banned again", async () => {
      const { clock } = contract.server;
      const second = await contract.newKey();
      await ban(contract.own);
      clock.now += 5_000;
      await ban(second, 0);
      const first = await admin.listBans({ pageSize: 1 });
      expect(first.bans[0]?.key?.keyId).toBe(contract.own.keyId);
      clock.now += 56_000;
      await ban(contract.own);
      const rest = await admin.listBans({ pageToken: first.nextPageToken });
      expect(rest.bans.map(({ key }) => key?.keyId)).toEqual([second.keyId]);
    });

    test("invalid_argument for a token of another list", async () => {
      const pageToken = Buffer.from("pet 1").toString("base64url");
      const error = await failure(admin.listBans({ pageToken }));
      expect(error.rawMessage).toContain("page_token");
    });
  });
});
