import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type App, createApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/observability/log/log.ts";
import type { InventoryStore } from "../../src/stores/inventory-store.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { addAccount, addKey, someKey } from "../support/accounts.ts";

const list = "/v1/inventory";
const listRpc = "/inventory.v1.InventoryService/ListInventory";

describe("prefetching the list", () => {
  let prefetchedAt = 0;
  const prefetchList = vi.fn(() => {
    prefetchedAt = performance.now();
  });
  /** The oldest reads that lists accepted, on the clock of performance.now(). */
  const accepted: number[] = [];
  const own: { app?: App; url: string; secret: string } = { url: "", secret: "" };

  beforeEach(async () => {
    prefetchList.mockClear();
    const stores = createMemoryStores();
    const list: InventoryStore["list"] = (arrivedAt = 0, context) => {
      accepted.push(arrivedAt);
      return stores.inventory.list(arrivedAt, context);
    };
    const app = createApp(
      readConfig({ PORT: "0", LOG_LEVEL: "silent" }),
      { ...stores, inventory: { ...stores.inventory, list, prefetchList } },
      createLog("silent"),
    );
    own.app = app;
    own.url = (await app.listen(0, "127.0.0.1")).url;
    own.secret = (await addKey(stores, await addAccount(stores))).secret;
  });
  afterEach(() => own.app?.drain(0));

  /** @returns how many reads of the list the request began before it was admitted */
  async function prefetches(path: string, secret: string, init?: RequestInit): Promise<number> {
    prefetchList.mockClear();
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const response = await fetch(own.url + path, { headers, ...init });
    await response.arrayBuffer();
    return prefetchList.mock.calls.length;
  }

  test.each([
    ["JSON over HTTP", list, undefined],
    ["Connect", listRpc, { method: "POST", body: "{}" }],
  ])("begins for each list by %s of a key that was admitted before", async (_, path, init) => {
    expect(await prefetches(path, own.secret, init)).toBe(0);
    expect(await prefetches(path, own.secret, init)).toBe(1);
    expect(await prefetches(path, own.secret, init)).toBe(1);
  });

  test.each([
    ["the list", list, undefined],
    ["a selection", `${list}?status=available`, undefined],
    ["a page of a selection", `${list}?status=available&pageSize=1`, undefined],
    ["a selection by Connect", listRpc, { method: "POST", body: '{"minQuantity":1}' }],
  ])("begins a read that the response can use: %s", async (_, path, init) => {
    await prefetches(path, own.secret, init);
    accepted.length = 0;
    expect(await prefetches(path, own.secret, init)).toBe(1);
    expect(accepted).toHaveLength(1);
    expect(accepted[0]).toBeLessThanOrEqual(prefetchedAt);
  });

  test("does not begin for other methods", async () => {
    await prefetches(list, own.secret);
    expect(await prefetches(`${list}/1`, own.secret)).toBe(0);
    expect(await prefetches("/v1/nothing", own.secret)).toBe(0);
  });

  test.each([
    ["an unknown key", someKey("aaaaaaaaaaaa").secret],
    ["a malformed key", "inv_nonsense"],
    ["no key", ""],
  ])("never begins for %s", async (_, secret) => {
    await prefetches(list, own.secret);
    expect(await prefetches(list, secret)).toBe(0);
    expect(await prefetches(list, secret)).toBe(0);
  });
});
