import { Code } from "@connectrpc/connect";
import { describe, expect, it, onTestFinished } from "vitest";
import { PetStatus, type WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import { createWatchService } from "../../../src/services/watch/watch-service.ts";
import type { InventoryStore } from "../../../src/stores/inventory-store.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import type { StockChange } from "../../../src/stores/stock-change.ts";
import { someKey } from "../../support/accounts.ts";
import { contextOf } from "../../support/context.ts";

const settings = {
  heartbeatMs: 10,
  backlog: 100,
  maxPerKey: 10,
  maxPerAccount: 10,
  maxPerProcess: 10,
};
const accountId = "aaaaaaaaaaaa";
const pet = { petId: 1n, quantity: 1, status: PetStatus.AVAILABLE };

/** Watches of a stock that the test can replace. The change reader first finds nothing, then what the test passes. */
async function setUp() {
  const clock = { now: 1_000 };
  const newStore = () => createMemoryStores(() => clock.now);
  const stores = newStore();
  const own: { inventory: InventoryStore } = { inventory: stores.inventory };
  const inventory: InventoryStore = {
    ...stores.inventory,
    page: (after, limit) => own.inventory.page(after, limit),
    changesSince: (version, limit) => own.inventory.changesSince(version, limit),
  };
  let pass: ((_: readonly StockChange[]) => void) | undefined;
  const readChanges = () => ({
    async next() {
      const passed = new Promise<readonly StockChange[]>((resolve) => {
        if (!pass) resolve([]);
        pass = resolve;
      });
      return passed;
    },
    close() {},
  });
  const key = someKey(accountId);
  await stores.accounts.createAccount(accountId, "", { plan: "free" });
  await stores.accounts.createKey(accountId, {
    ...key,
    name: "",
    scopes: [],
    expiresAt: undefined,
  });
  const watching = createWatchService({ ...stores, inventory, readChanges }, settings);
  onTestFinished(() => watching.stop());
  const caller = { accountId, keyId: key.keyId, scopes: new Set<never>() };
  const watch = (resumeToken = "") => {
    const context = contextOf(caller);
    return watching.watchInventory(
      { resumeToken } as never,
      context,
    ) as AsyncGenerator<WatchInventoryResponse>;
  };
  return {
    clock,
    own,
    newStore,
    watch,
    pass: (changes: readonly StockChange[]) => pass?.(changes),
  };
}

/** Reads messages up to the first of a kind. @returns that message */
async function upTo(kind: string, messages: AsyncGenerator<WatchInventoryResponse>) {
  for (;;) {
    const { value } = await messages.next();
    if (value.event.case === kind) return value;
  }
}

const expired = {
  code: Code.OutOfRange,
  message: expect.stringContaining("Watch again without a token"),
};

describe("a watch whose snapshot is newer than the change reader of its process", () => {
  it("continues when the reader has caught up", async () => {
    const { clock, own, watch, pass } = await setUp();
    const first = watch();
    await upTo("ready", first);
    clock.now += 1;
    await own.inventory.create(pet);
    const second = watch();
    const { resumeToken } = await upTo("ready", second);
    expect((await upTo("heartbeat", second)).resumeToken).toBe(resumeToken);
    clock.now += 1;
    await own.inventory.setQuantity(1n, 5);
    pass((await own.inventory.changesSince(0n, 10))?.changes ?? []);
    const { event } = await upTo("change", second);
    expect(event.value).toMatchObject({ quantityAfter: 5 });
  });

  it("OUT_OF_RANGE if its changes were lost and nothing else has changed", async () => {
    const { own, newStore, watch } = await setUp();
    await upTo("ready", watch());
    await own.inventory.create(pet);
    const second = watch();
    await upTo("ready", second);
    own.inventory = newStore().inventory;
    await expect(upTo("change", second)).rejects.toMatchObject(expired);
  });

  it("OUT_OF_RANGE if the reader finds other changes in place of the lost ones", async () => {
    const { clock, own, newStore, watch, pass } = await setUp();
    await upTo("ready", watch());
    await own.inventory.create(pet);
    const second = watch();
    await upTo("ready", second);
    const { inventory } = newStore();
    clock.now += 1;
    await inventory.create(pet);
    pass((await inventory.changesSince(0n, 10))?.changes ?? []);
    await expect(upTo("change", second)).rejects.toMatchObject(expired);
  });
});

it("OUT_OF_RANGE for a watch if the stock is older than the change reader of the process", async () => {
  const { own, newStore, watch } = await setUp();
  await own.inventory.create(pet);
  await upTo("ready", watch());
  own.inventory = newStore().inventory;
  await expect(upTo("ready", watch())).rejects.toMatchObject(expired);
});
