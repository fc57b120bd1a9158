import { expect, test } from "vitest";
import { listAllKeys } from "../../../src/services/admin/list-all-keys.ts";
import type { AccountStore } from "../../../src/stores/account-store.ts";

test("one call reads 60 accounts at most, 20 at once, and goes on after them", async () => {
  const all = Array.from({ length: 150 }, (_, at) => ({
    accountId: `a${at}`.padEnd(12, "0"),
    createdAt: at + 1,
  }));
  let [pending, most, read] = [0, 0, 0];
  const store = {
    async listAccounts(after: { accountId: string } | undefined, limit: number) {
      const from = all.findIndex(({ accountId }) => accountId === after?.accountId) + 1;
      const accounts = all.slice(from, from + limit);
      return { accounts, next: from + limit < all.length ? accounts.at(-1) : undefined };
    },
    async listKeys() {
      read += 1;
      pending += 1;
      most = Math.max(most, pending);
      await Promise.resolve();
      pending -= 1;
      return [];
    },
  } as unknown as AccountStore;
  const page = await listAllKeys(store, "", 10, { record: { storeMs: 0, changesSent: 0 } });
  expect([read, most]).toEqual([60, 20]);
  expect(page.nextPageToken).not.toBe("");
});
