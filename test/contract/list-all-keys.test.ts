import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { describeApi, expectFailure, operator, ownAccount } from "./support.ts";

describeApi("ListAllKeys in $name", (contract) => {
  const { server } = contract;

  /** Makes accounts with these numbers of keys, each a little later. @returns the ids of all keys, in order */
  async function makeKeys(...counts: number[]): Promise<string[]> {
    const { key } = await operator(contract);
    const ids = [contract.own.keyId, key.keyId].sort();
    for (const [at, count] of counts.entries()) {
      server.clock.now += 1;
      const accountId = await addAccount(server.stores, { plan: "free" }, `d${at}`.padEnd(12, "0"));
      for (let made = 0; made < count; made += 1) {
        server.clock.now += 1;
        ids.push((await addKey(server.stores, accountId)).keyId);
      }
    }
    return ids;
  }

  async function lastOperator() {
    server.clock.now += 1;
    const key = await contract.newAccount("ffffffffffff", { plan: "business" }, ["admin"]);
    return contract.client(AdminService, key);
  }

  async function pages(pageSize: number): Promise<string[][]> {
    const admin = await lastOperator();
    const found: string[][] = [];
    let pageToken = "";
    do {
      const page = await admin.listAllKeys({ pageSize, pageToken });
      found.push(page.keys.map(({ keyId }) => keyId));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    return found;
  }

  test.each([1, 2, 3, 5, 100])("returns every key once, in order, in pages of %i", async (size) => {
    const ids = await makeKeys(3, 0, 0, 1, 4, 0);
    const found = await pages(size);
    expect(found.flat().slice(0, -1)).toEqual(ids);
    expect(found.flat().at(-1)).toMatch(/^ffffffffffff/);
    for (const page of found.slice(0, -1)) expect(page).toHaveLength(size);
  });

  test("skips many accounts without keys", async () => {
    const ids = await makeKeys(1, ...Array.from({ length: 50 }, () => 0), 1);
    expect((await pages(2)).flat()).toEqual([...ids, expect.stringMatching(/^ffffffffffff/)]);
  });

  test("shows whether a key is revoked, and no secret", async () => {
    const { admin } = await operator(contract);
    await admin.revokeKey({ keyId: contract.own.keyId });
    const { keys } = await admin.listAllKeys({});
    const own = keys.find(({ keyId }) => keyId === contract.own.keyId);
    expect(own).toMatchObject({ accountId: ownAccount, revokedAt: { nanos: expect.anything() } });
    expect(JSON.stringify(keys, (_, value) => String(value))).not.toContain(contract.own.secret);
  });

  test("returns the rest when the account at the end of a page was deleted", async () => {
    const ids = await makeKeys(2, 2);
    const admin = await lastOperator();
    const first = await admin.listAllKeys({ pageSize: 3 });
    await admin.deleteAccount({ accountId: "d00000000000" });
    const { keys } = await admin.listAllKeys({ pageToken: first.nextPageToken });
    expect(keys.map(({ keyId }) => keyId).slice(0, 2)).toEqual(ids.slice(4));
  });

  test.each([
    [{ pageSize: 0 }, "page_size"],
    [{ pageToken: "x" }, "page_token"],
    [{ pageToken: Buffer.from("key 1 aaaaaaaaaaaa 1").toString("base64url") }, "page_token"],
  ])("invalid_argument for %j", async (request, field) => {
    const { admin } = await operator(contract);
    await expectFailure(admin.listAllKeys(request), Code.InvalidArgument, field);
  });
});
