import { expect, test } from "vitest";
import { readAccountUsage } from "../../../src/services/usage/usage-service.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import { addAccount } from "../../support/accounts.ts";

test("a report has the requests that this process has not added to the store yet", async () => {
  const { accounts, usage } = createMemoryStores();
  const accountId = await addAccount({ accounts } as never);
  const order: string[] = [];
  const read: typeof usage.read = (...args) => {
    order.push("read");
    return usage.read(...args);
  };
  const ship = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    order.push("added");
  };
  const stores = { accounts, usage: { ...usage, read } };
  await readAccountUsage({ stores, shipper: { ship, shipAll: ship } }, accountId, {});
  expect(order).toEqual(["added", "read"]);
});
