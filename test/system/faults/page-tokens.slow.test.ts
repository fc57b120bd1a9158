import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { banLadderMs, minRefusalsBeforeBan } from "../../../src/access/bans.ts";
import type { Scope } from "../../../src/access/scopes.ts";
import { type App, createApp } from "../../../src/app/app.ts";
import { readConfig } from "../../../src/config/config.ts";
import { createLog } from "../../../src/observability/log/log.ts";
import { succeedHere } from "../../cli/command-line.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { placed } from "../../support/stock.ts";
import { useRedis } from "../../support/stores.ts";
import { useStores } from "./stores.ts";

const redis = useRedis("--appendonly", "no");
const base = useStores(redis);
const stores = () => base.stores;
const own: { app?: App; url: string; secret: string; directory: string } = {
  url: "",
  secret: "",
  directory: "",
};
const alice = "aaaaaaaaaaaa";
const bob = "bbbbbbbbbbbb";
const all: Scope[] = ["inventory:read", "inventory:write", "store:read", "store:write", "admin"];

beforeAll(async () => {
  own.directory = await mkdtemp(join(tmpdir(), "inventory-tokens-"));
  own.app = createApp(readConfig({ PORT: "0" }), stores(), createLog("silent"));
  own.url = (await own.app.listen(0, "127.0.0.1")).url;
});
afterAll(async () => {
  await own.app?.drain(0);
  await rm(own.directory, { recursive: true });
});
beforeEach(async () => {
  await redis.client.flushall();
  await redis.client.set("inv:format", 1);
  await fill();
});

/** Makes two accounts, changes of a pet, orders of both accounts, and entries of the audit trail. */
async function fill(): Promise<void> {
  for (const accountId of [alice, bob]) await addAccount(stores(), { plan: "business" }, accountId);
  own.secret = (await addKey(stores(), alice, { scopes: all })).secret;
  await stores().catalog.put([{ petId: 1n, quantity: 50, status: PetStatus.AVAILABLE }]);
  for (const accountId of [alice, bob, alice, bob, alice]) {
    await placed(stores().orders, accountId, 1n, 1);
  }
  for (let at = 0; at < 4; at++)
    await call("admin.v1.AdminService/RenameAccount", { accountId: bob, name: `shop ${at}` });
}

interface Page {
  readonly status: number;
  readonly nextPageToken: string;
  readonly items: readonly unknown[];
  readonly message: string;
}

async function call(method: string, message: object): Promise<Page> {
  const reply = await fetch(`${own.url}/${method}`, {
    method: "POST",
    headers: { authorization: `Bearer ${own.secret}`, "content-type": "application/json" },
    body: JSON.stringify(message),
  });
  const {
    nextPageToken = "",
    message: text = "",
    ...lists
  } = (await reply.json()) as Record<string, string>;
  const [items = []] = Object.values(lists).filter((each) => Array.isArray(each));
  return { status: reply.status, nextPageToken, items: items as unknown[], message: text };
}

const lists = {
  "changes of a pet": ["inventory.v1.InventoryService/ListItemChanges", { petId: 1 }],
  "changes of all pets": ["inventory.v1.InventoryService/ListInventoryChanges", {}],
  "own orders": ["store.v1.StoreService/ListOrders", {}],
  "orders of an account": ["admin.v1.AdminService/ListOrders", { accountId: bob }],
  "all orders": ["admin.v1.AdminService/ListOrders", {}],
  "entries of the audit trail": ["admin.v1.AdminService/ListAuditEntries", {}],
} as const;

const eachList = Object.entries(lists);

/** Returns the token of the second page. */
async function firstToken(
  [method, message]: readonly [string, object],
  pageSize = 1,
): Promise<string> {
  const { status, nextPageToken } = await call(method, { ...message, pageSize });
  expect([status, nextPageToken]).toEqual([200, expect.stringMatching(/./)]);
  return nextPageToken;
}

function expectStale({ status, message }: Page): void {
  expect([status, message]).toEqual([400, expect.stringContaining("page_token")]);
}

const file = () => join(own.directory, "backup.gz");
const backUp = () => succeedHere(["backup", file()], { redisUrl: redis.url });

/** Replaces all data with the backup. */
async function restore(): Promise<void> {
  await redis.client.flushall();
  await succeedHere(["restore", file()], { redisUrl: redis.url });
}

describe.each(eachList)("a page token of %s", (name, list) => {
  const [method, message] = list;
  const next = (pageToken: string) => call(method, { ...message, pageSize: 1, pageToken });

  test("returns the next page while other elements are added", async () => {
    const pageToken = await firstToken(list);
    await stores().inventory.change({ petId: 1n, quantity: 20 });
    await placed(stores().orders, bob, 1n, 1);
    expect(await next(pageToken)).toMatchObject({ status: 200, items: [{}] });
  });

  test("is refused after all data was lost, before and after there is new data", async () => {
    const pageToken = await firstToken(list);
    await redis.client.flushall();
    await redis.client.set("inv:format", 1);
    await addAccount(stores(), { plan: "business" }, alice);
    own.secret = (await addKey(stores(), alice, { scopes: all })).secret;
    const empty = await next(pageToken);
    if (name === "changes of a pet") expect(empty.status).toBe(404);
    else expectStale(empty);
    await redis.client.flushall();
    await redis.client.set("inv:format", 1);
    await fill();
    expectStale(await next(pageToken));
  });

  test("is refused when the data of a backup lacks its element", async () => {
    await backUp();
    await stores().inventory.change({ petId: 1n, quantity: 20 });
    await placed(stores().orders, bob, 1n, 1);
    await placed(stores().orders, alice, 1n, 1);
    await call("admin.v1.AdminService/RenameAccount", { accountId: bob, name: "shop" });
    const pageToken = await firstToken(list);
    await restore();
    const page = await next(pageToken);
    // Elements of this list are the same after the restore.
    if (name === "all orders") expect(page).toMatchObject({ status: 200, items: [{}] });
    else expectStale(page);
  });
});

test.each(["changes of a pet", "changes of all pets"] as const)(
  "a page token of %s is refused after the restore of a backup that had its change",
  async (name) => {
    const pageToken = await firstToken(lists[name]);
    await backUp();
    await restore();
    const [method, message] = lists[name];
    expectStale(await call(method, { ...message, pageToken }));
  },
);

test.each([
  "own orders",
  "orders of an account",
  "all orders",
  "entries of the audit trail",
] as const)(
  "a page token of %s is valid after the restore of a backup that had its element",
  async (name) => {
    const pageToken = await firstToken(lists[name]);
    await backUp();
    await restore();
    const [method, message] = lists[name];
    const page = await call(method, { ...message, pageToken });
    expect([page.status, page.items.length]).toEqual([200, expect.any(Number)]);
    expect(page.items).not.toEqual([]);
  },
);

/** Lists of accounts and keys, with the size of the page that ends with the first element made by `addElements`. */
const adminLists = [
  ["accounts", "ListAccounts", 3],
  ["keys of all accounts", "ListAllKeys", 2],
  ["keys of all accounts, after the keys of an account", "ListAllKeys", 3],
  ["banned keys", "ListBans", 1],
] as const;

describe.each(adminLists)("a page token of %s", (_, name, pageSize) => {
  const method = `admin.v1.AdminService/${name}`;
  const next = (pageToken: string) => call(method, { pageSize, pageToken });
  const token = () => firstToken([method, {}], pageSize);
  const carol = "cccccccccccc";
  const dave = "dddddddddddd";

  /** Adds two accounts with two banned keys each. */
  async function addElements(): Promise<void> {
    for (const accountId of [carol, dave]) {
      const limits = { perMinute: 1, perDay: 1 };
      await addAccount(stores(), { plan: "enterprise", limits }, accountId);
      for (let key = 0; key < 2; key++) {
        const { keyId, keyHash } = await addKey(stores(), accountId);
        const admit = () => stores().admission.admitKey(accountId, keyHash);
        await Promise.all(Array.from({ length: 2 + minRefusalsBeforeBan }, admit));
        const since = Date.now();
        const ban = { keyId, since, until: since + (banLadderMs[0] ?? 0) };
        await stores().usage.add({ counts: [], bans: [ban] });
      }
    }
  }

  test("is refused when the data of a backup lacks its element and all later ones", async () => {
    await backUp();
    await addElements();
    const pageToken = await token();
    const before = await next(pageToken);
    expect(before.status).toBe(200);
    expect(before.items).not.toEqual([]);
    await restore();
    expectStale(await next(pageToken));
  });

  test("is valid after the restore of a backup that had its element", async () => {
    await addElements();
    const pageToken = await token();
    await backUp();
    await restore();
    expect((await next(pageToken)).status).toBe(200);
  });

  test("leads to the end of the list if all accounts from its own on were deleted", async () => {
    await addElements();
    const pageToken = await token();
    for (const accountId of [carol, dave]) {
      expect(await call("admin.v1.AdminService/DeleteAccount", { accountId })).toMatchObject({
        status: 200,
      });
    }
    // Pages of banned keys skip those of deleted accounts.
    for (let token = pageToken; token !== ""; ) {
      const page = await next(token);
      expect(page).toMatchObject({ status: 200, items: [] });
      token = page.nextPageToken;
    }
  });
});

test("a page token of one account's orders is refused for another's", async () => {
  const pageToken = await firstToken(lists["orders of an account"]);
  expectStale(await call("store.v1.StoreService/ListOrders", { pageToken }));
});

test("a page token of a trimmed history leads to its end", async () => {
  const pageToken = await firstToken(lists["changes of a pet"]);
  // Everything but the newest change.
  await redis.client.xtrim("inv:{stock}:changes", "MAXLEN", "1");
  for (const name of ["changes of a pet", "changes of all pets"] as const) {
    const [method, message] = lists[name];
    const page = await call(method, { ...message, pageToken });
    expect([page.status, page.items, page.nextPageToken]).toEqual([200, [], ""]);
  }
  await redis.client.xtrim("inv:{stock}:changes", "MAXLEN", "0");
  const [method, message] = lists["changes of a pet"];
  expectStale(await call(method, { ...message, pageToken }));
});

test.each([
  ["ListItemChanges", "1 9"],
  ["ListInventoryChanges", "9007199254740991 9007199254740991"],
])("%s refuses a version that no change has: %s", async (method, position) => {
  const pageToken = Buffer.from(`version ${position}`).toString("base64url");
  expectStale(await call(`inventory.v1.InventoryService/${method}`, { petId: 1, pageToken }));
});
