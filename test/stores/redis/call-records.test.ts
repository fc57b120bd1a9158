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
  await under.stores.inventory.put([{ ...item, petId: 1n, quantity: 9 }]);
  own.order = (await placed(under.stores.orders, account, 1n, 1)).orderId;
  await under.stores.holds.put(account, "cart", {
    items: [{ petId: 1n, quantity: 1 }],
    ttlMs: minuteMs,
  });
});

type Call = (stores: Stores, call: CallContext) => Promise<unknown>;

test.each<[string, Call]>([
  ["inventory.list", ({ inventory }, call) => inventory.list(undefined, call)],
  ["inventory.page", ({ inventory }, call) => inventory.page(undefined, 9, call)],
  ["inventory.get", ({ inventory }, call) => inventory.get(1n, call)],
  ["inventory.changes", ({ inventory }, call) => inventory.changes({ limit: 9 }, call)],
  [
    "inventory.changes of a pet",
    ({ inventory }, call) => inventory.changes({ petId: 1n, limit: 9 }, call),
  ],
  ["inventory.setQuantity", ({ inventory }, call) => inventory.setQuantity(1n, 2, {}, call)],
  ["inventory.adjust", ({ inventory }, call) => inventory.adjust(1n, 2, {}, call)],
  [
    "inventory.setQuantities",
    ({ inventory }, call) => inventory.setQuantities([{ petId: 1n, quantity: 2 }], {}, call),
  ],
  [
    "inventory.adjustQuantities",
    ({ inventory }, call) => inventory.adjustQuantities([{ petId: 1n, delta: 2 }], {}, call),
  ],
  [
    "inventory.setStatus",
    ({ inventory }, call) => inventory.setStatus(1n, PetStatus.SOLD, undefined, call),
  ],
  ["inventory.create", ({ inventory }, call) => inventory.create(item, undefined, call)],
  ["inventory.put", ({ inventory }, call) => inventory.put([item], undefined, undefined, call)],
  ["inventory.remove", ({ inventory }, call) => inventory.remove(2n, undefined, call)],
  [
    "orders.place",
    ({ orders }, call) => orders.place(account, { petId: 1n, quantity: 1 }, {}, call),
  ],
  ["orders.cancel", ({ orders }, call) => orders.cancel(account, own.order, undefined, call)],
  [
    "orders.advance",
    ({ orders }, call) => orders.advance(account, own.order, OrderStatus.APPROVED, call),
  ],
  ["orders.get", ({ orders }, call) => orders.get(account, own.order, call)],
  ["orders.list", ({ orders }, call) => orders.list(account, undefined, 9, call)],
  ["orders.listAll", ({ orders }, call) => orders.listAll(undefined, 9, call)],
  ["orders.count", ({ orders }, call) => orders.count(account, call)],
  ["orders.deleteAll", ({ orders }, call) => orders.deleteAll(account, call)],
  [
    "holds.put",
    ({ holds }, call) =>
      holds.put(
        account,
        "b",
        { items: [{ petId: 1n, quantity: 1 }], ttlMs: minuteMs },
        { context: call },
      ),
  ],
  ["holds.confirm", ({ holds }, call) => holds.confirm(account, "cart", { context: call })],
  ["holds.release", ({ holds }, call) => holds.release(account, "cart", { context: call })],
  ["holds.get", ({ holds }, call) => holds.get(account, "cart", call)],
  ["holds.list", ({ holds }, call) => holds.list({ states: [HoldState.ACTIVE], limit: 9 }, call)],
  ["holds.deleteAll", ({ holds }, call) => holds.deleteAll(account, call)],
  [
    "accounts.createAccount",
    ({ accounts }, call) => accounts.createAccount("bbbbbbbbbbbb", "", { plan: "free" }, call),
  ],
  ["accounts.getAccount", ({ accounts }, call) => accounts.getAccount(account, call)],
  ["accounts.listAccounts", ({ accounts }, call) => accounts.listAccounts(undefined, 9, call)],
  ["accounts.wasCreated", ({ accounts }, call) => accounts.wasCreated("bbbbbbbbbbbb", call)],
  ["accounts.setPlan", ({ accounts }, call) => accounts.setPlan(account, { plan: "pro" }, call)],
  ["accounts.rename", ({ accounts }, call) => accounts.rename(account, "b", call)],
  ["accounts.setDisabled", ({ accounts }, call) => accounts.setDisabled(account, true, call)],
  ["accounts.setStrict", ({ accounts }, call) => accounts.setStrict(account, true, call)],
  ["accounts.remove", ({ accounts }, call) => accounts.remove(account, call)],
  ["accounts.unlist", ({ accounts }, call) => accounts.unlist(account, call)],
  [
    "accounts.createKey",
    ({ accounts }, call) => {
      const { keyId, keyHash } = someKey(account);
      const key = { keyId, keyHash, name: "", scopes: defaultScopes, expiresAt: undefined };
      return accounts.createKey(account, key, call);
    },
  ],
  ["accounts.listKeys", ({ accounts }, call) => accounts.listKeys(account, call)],
  ["accounts.revokeKey", ({ accounts }, call) => accounts.revokeKey(own.key.keyId, call)],
  [
    "accounts.rotateKey",
    ({ accounts }, call) => accounts.rotateKey(own.key.keyId, someKey(account), 0, call),
  ],
  ["accounts.unbanKey", ({ accounts }, call) => accounts.unbanKey(own.key.keyId, call)],
  ["audit.append", ({ audit }, call) => audit.append("{}", call)],
  ["audit.read", ({ audit }, call) => audit.read(1, 9, call)],
  ["usage.quota", ({ usage }, call) => usage.quota(account, limits, call)],
  ["usage.read", ({ usage }, call) => usage.read(account, Date.now(), 9, call)],
  ["usage.top", ({ usage }, call) => usage.top("requests", 9, call)],
  ["usage.bans", ({ usage }, call) => usage.bans(undefined, 9, call)],
])("%s belongs to its call: its time is recorded", async (_, call) => {
  const record = { storeMs: 0, changesSent: 0 };
  await call(under.stores, { record });
  expect(record.storeMs).toBeGreaterThan(0);
});
