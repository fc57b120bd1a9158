import { beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { HoldState, OrderStatus } from "../../../gen/store/v1/store_pb.ts";
import { defaultScopes } from "../../../src/access/scopes.ts";
import type { CallContext } from "../../../src/common/call-context.ts";
import { minuteMs } from "../../../src/common/durations.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey, someKey, type TestKey } from "../../support/accounts.ts";
import { placed } from "../../support/stock.ts";
import { useReadyStores, useRedis } from "../../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const under = useReadyStores(redis);
const own: { key: TestKey; order: bigint } = {} as never;
const account = "aaaaaaaaaaaa";
const item = { petId: 2n, quantity: 1, status: PetStatus.SOLD };
const limits = { perMinute: 60, perDay: 1_000 };

beforeEach(async () => {
  await redis.client.flushall();
  await addAccount(under.stores, { plan: "free" }, account);
  own.key = await addKey(under.stores, account);
  await under.stores.catalog.put([{ ...item, petId: 1n, quantity: 9 }]);
  own.order = (await placed(under.stores.orders, account, 1n, 1)).orderId;
  await under.stores.holds.put(account, "cart", {
    items: [{ petId: 1n, quantity: 1 }],
    ttlMs: minuteMs,
  });
});

type Call = (stores: Stores, call: CallContext) => Promise<unknown>;

test.each<[string, Call]>([
  ["inventory.list", (s, call) => s.inventory.list(undefined, call)],
  ["inventory.page", (s, call) => s.inventory.page(undefined, 9, call)],
  ["inventory.get", (s, call) => s.inventory.get(1n, call)],
  ["inventory.changes", (s, call) => s.inventory.changes({ limit: 9 }, call)],
  ["inventory.changes of a pet", (s, call) => s.inventory.changes({ petId: 1n, limit: 9 }, call)],
  ["inventory.change", (s, call) => s.inventory.change({ petId: 1n, delta: 2 }, {}, call)],
  ["inventory.changeAll", (s, call) => s.inventory.changeAll([{ petId: 1n, delta: 2 }], {}, call)],
  [
    "catalog.update",
    (s, call) => s.catalog.update(1n, { status: PetStatus.SOLD }, undefined, call),
  ],
  ["catalog.create", (s, call) => s.catalog.create(item, undefined, call)],
  ["catalog.put", (s, call) => s.catalog.put([item], undefined, undefined, call)],
  ["catalog.remove", (s, call) => s.catalog.remove(2n, undefined, call)],
  ["orders.place", (s, call) => s.orders.place(account, { petId: 1n, quantity: 1 }, {}, call)],
  ["orders.cancel", (s, call) => s.orders.cancel(account, own.order, undefined, call)],
  ["orders.advance", (s, call) => s.orders.advance(account, own.order, OrderStatus.APPROVED, call)],
  ["orders.get", (s, call) => s.orders.get(account, own.order, call)],
  ["orders.list", (s, call) => s.orders.list({ accountId: account, limit: 9 }, call)],
  ["orders.listAll", (s, call) => s.orders.list({ limit: 9 }, call)],
  ["orders.count", (s, call) => s.orders.count(account, call)],
  ["orders.deleteAll", (s, call) => s.orders.deleteAll(account, call)],
  [
    "holds.put",
    (s, call) =>
      s.holds.put(
        account,
        "b",
        { items: [{ petId: 1n, quantity: 1 }], ttlMs: minuteMs },
        { context: call },
      ),
  ],
  ["holds.confirm", (s, call) => s.holds.confirm(account, "cart", { context: call })],
  ["holds.release", (s, call) => s.holds.release(account, "cart", { context: call })],
  ["holds.get", (s, call) => s.holds.get(account, "cart", call)],
  ["holds.list", (s, call) => s.holds.list({ states: [HoldState.ACTIVE], limit: 9 }, call)],
  ["holds.deleteAll", (s, call) => s.holds.deleteAll(account, call)],
  [
    "accounts.createAccount",
    (s, call) => s.accounts.createAccount("bbbbbbbbbbbb", "", { plan: "free" }, call),
  ],
  ["accounts.getAccount", (s, call) => s.accounts.getAccount(account, call)],
  ["accounts.listAccounts", (s, call) => s.accounts.listAccounts(undefined, 9, call)],
  ["accounts.wasCreated", (s, call) => s.accounts.wasCreated("bbbbbbbbbbbb", call)],
  ["accounts.update", (s, call) => s.accounts.update(account, { state: "disabled" }, call)],
  ["accounts.remove", (s, call) => s.accounts.remove(account, call)],
  ["accounts.unlist", (s, call) => s.accounts.unlist(account, call)],
  [
    "accounts.createKey",
    (s, call) => {
      const { keyId, keyHash } = someKey(account);
      const key = { keyId, keyHash, name: "", scopes: defaultScopes, expiresAt: undefined };
      return s.accounts.createKey(account, key, call);
    },
  ],
  ["accounts.listKeys", (s, call) => s.accounts.listKeys(account, call)],
  ["accounts.revokeKey", (s, call) => s.accounts.revokeKey(own.key.keyId, call)],
  [
    "accounts.rotateKey",
    (s, call) => s.accounts.rotateKey(own.key.keyId, someKey(account), 0, call),
  ],
  ["accounts.unbanKey", (s, call) => s.accounts.unbanKey(own.key.keyId, call)],
  ["audit.append", (s, call) => s.audit.append("{}", call)],
  ["audit.read", (s, call) => s.audit.read(1, 9, call)],
  ["usage.quota", (s, call) => s.usage.quota(account, limits, call)],
  ["usage.read", (s, call) => s.usage.read(account, Date.now(), 9, call)],
  ["usage.top", (s, call) => s.usage.top("requests", 9, call)],
  ["usage.bans", (s, call) => s.usage.bans(undefined, 9, call)],
])("%s belongs to its call: its time is recorded", async (_, call) => {
  const record = { storeMs: 0, changesSent: 0 };
  await call(under.stores, { record });
  expect(record.storeMs).toBeGreaterThan(0);
});
