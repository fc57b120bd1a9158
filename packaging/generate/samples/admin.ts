import type { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import {
  type Given,
  largestListsOfHolds,
  longName,
  ofManyKeys,
  type SamplesOf,
  sampleAccountId,
  sampleHoldId,
  sampleKeyId,
  sampleOrderId,
} from "./sample.ts";

const account = { accountId: sampleAccountId };
const key = { keyId: sampleKeyId };
const order = { ...account, orderId: sampleOrderId };
const hold = { ...account, holdId: sampleHoldId };

const ofAccount = async (given: Given) => ({ accountId: await given.account() });
const ofKey = async (given: Given) => ({ keyId: await given.key() });
const ofOrder = async ({ accountId, order }: Given) => ({ accountId, orderId: await order() });
const ofHold = async ({ accountId, hold }: Given) => ({ accountId, holdId: await hold(100) });

export const adminSamples: SamplesOf<typeof AdminService> = {
  createAccount: {
    request: { name: "Pet shop", plan: "PLAN_PRO" },
    largest: { "": () => ({ name: longName, plan: "PLAN_FREE" }) },
  },
  getAccount: {
    request: account,
    largest: { "": ({ accountId }) => ({ accountId }) },
  },
  listAccounts: {
    request: { pageSize: 100 },
    largest: {
      "the largest page": () => ({ pageSize: 1_000 }),
      async "100 ids"({ stores }) {
        const { accounts } = await stores.accounts.listAccounts(undefined, 100);
        return { accountIds: accounts.map(({ accountId }) => accountId) };
      },
    },
  },
  setPlan: {
    request: {
      ...{ ...account, plan: "PLAN_ENTERPRISE" },
      limits: { perMinute: "5000", perDay: "1000000" },
    },
    largest: { "": async (given) => ({ ...(await ofAccount(given)), plan: "PLAN_PRO" }) },
  },
  setWritePolicy: {
    request: { ...account, writePolicy: "WRITE_POLICY_STRICT" },
    largest: {
      "": async (given) => ({ ...(await ofAccount(given)), writePolicy: "WRITE_POLICY_STRICT" }),
    },
  },
  renameAccount: {
    request: { ...account, name: "Pet shop" },
    largest: { "": async (given) => ({ ...(await ofAccount(given)), name: longName }) },
  },
  disableAccount: { request: account, largest: { "": ofAccount } },
  enableAccount: { request: account, largest: { "": ofAccount } },
  deleteAccount: {
    request: { ...account, validateOnly: true },
    largest: {
      "": ofAccount,
      "with orders and holds": "deletes what other calls have paid for, in steps",
    },
  },
  getAccountUsage: {
    request: account,
    largest: { "90 keys": ({ accountId }) => ({ accountId }), "more keys": ofManyKeys },
  },
  listTopAccounts: {
    request: { pageSize: 10, order: "TOP_ACCOUNTS_ORDER_REQUESTS" },
    largest: {
      async "50 accounts"({ index, stores }) {
        const minute = Math.floor(Date.now() / 60_000);
        const { accounts } = await stores.accounts.listAccounts(undefined, 100);
        const counts = accounts.map(({ accountId }) => ({
          ...{ accountId, keyId: `${accountId}00000000`, minute },
          ...{ admitted: 1, limited: 1, banned: 1 },
        }));
        if (index === 0) await stores.usage.add({ counts, bans: [] });
        return { pageSize: 50 };
      },
    },
  },
  createKey: {
    request: { ...account, name: "till 1", scopes: ["inventory:read"] },
    largest: {
      "": async (given) => ({
        ...(await ofAccount(given)),
        name: longName,
        allowedAddresses: Array.from({ length: 20 }, (_, at) => `2001:db8::${at + 1}`),
      }),
    },
  },
  listKeys: {
    request: account,
    largest: { "90 keys": ({ accountId }) => ({ accountId }), "more keys": ofManyKeys },
  },
  listAllKeys: {
    request: { pageSize: 100 },
    largest: {
      "the largest page": () => ({ pageSize: 1_000 }),
      "accounts with more keys": ofManyKeys,
    },
  },
  listBans: {
    request: { pageSize: 100 },
    largest: { "the largest page": () => ({ pageSize: 1_000 }) },
  },
  revokeKey: { request: key, largest: { "": ofKey } },
  rotateKey: { request: key, largest: { "": ofKey } },
  unbanKey: { request: key, largest: { "": ofKey } },
  listOrders: {
    request: { pageSize: 100, status: "ORDER_STATUS_PLACED" },
    largest: {
      "the largest page of one account": ({ accountId }) => ({ pageSize: 1_000, accountId }),
      "the largest page of all accounts": () => ({ pageSize: 1_000 }),
      "a status that no order has": () => ({ pageSize: 1_000, status: "ORDER_STATUS_DELIVERED" }),
      "a status that no order of an account has": ({ accountId }) => ({
        ...{ pageSize: 1, accountId },
        status: "ORDER_STATUS_DELIVERED",
      }),
    },
  },
  listHolds: { request: { pageSize: 100 }, largest: largestListsOfHolds },
  getHold: { request: hold, largest: { "100 items": ofHold } },
  releaseHold: { request: hold, largest: { "100 items": ofHold } },
  cancelOrder: { request: order, largest: { "": ofOrder } },
  advanceOrder: {
    request: { ...order, status: "ORDER_STATUS_APPROVED" },
    largest: {
      "": async (given) => ({ ...(await ofOrder(given)), status: "ORDER_STATUS_APPROVED" }),
    },
  },
  listAuditEntries: {
    request: { pageSize: 100 },
    largest: {
      "a page of 100": () => ({ pageSize: 100 }),
      "100 entries after one": () => ({ pageSize: 100, afterSequence: "1" }),
      "an actor without entries": () => ({ pageSize: 100, actor: "nobody" }),
      "a kind without entries, long ago": () => ({
        ...{ pageSize: 100, kind: ["AUDIT_ENTRY_KIND_REFUSED"] },
        startTime: "1970-01-01T00:00:01Z",
      }),
    },
  },
};
