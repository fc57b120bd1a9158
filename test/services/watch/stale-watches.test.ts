import { expect, it, onTestFinished, vi } from "vitest";
import { PetStatus, type WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import { defaultScopes } from "../../../src/access/scopes.ts";
import { createWatchService } from "../../../src/services/watch/watch-service.ts";
import { storeUnavailable } from "../../../src/stores/errors.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { contextOf } from "../../support/context.ts";

it("a watch learns at once since when changes may be missing, also one that begins then", async () => {
  // A whole second, because each check of vi.waitUntil moves the clock by a few milliseconds.
  const start = 1_800_000_000_000;
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  onTestFinished(() => void vi.useRealTimers());
  const stores = createMemoryStores();
  const accountId = await addAccount(stores);
  const { keyId } = await addKey(stores, accountId);
  await stores.inventory.create({ petId: 1n, quantity: 1, status: PetStatus.AVAILABLE });
  const read = Promise.withResolvers<[]>();
  const interrupted = Promise.withResolvers<never>();
  const results: Promise<[]>[] = [Promise.resolve([]), read.promise, interrupted.promise];
  let reads = 0;
  const next = () => results[reads++] ?? new Promise<[]>(() => {});
  const service = createWatchService(
    { ...stores, readChanges: () => ({ next, close() {} }) },
    { heartbeatMs: 300_000, backlog: 10, maxPerKey: 10, maxPerAccount: 10, maxPerProcess: 10 },
  );
  onTestFinished(() => service.stop());
  const watch = () => {
    const caller = { accountId, keyId, scopes: new Set(defaultScopes) };
    const context = contextOf(caller);
    const messages = service.watchInventory(
      { resumeToken: "", petIds: [] } as never,
      context,
    ) as AsyncGenerator<WatchInventoryResponse>;
    return async () => (await messages.next()).value.event;
  };

  const first = watch();
  expect([(await first()).case, (await first()).case]).toEqual(["snapshot", "ready"]);
  vi.setSystemTime(start + 60_000);
  read.resolve([]);
  await vi.waitUntil(() => reads === 3);
  vi.setSystemTime(start + 100_000);
  interrupted.reject(storeUnavailable(undefined));
  const seconds = BigInt(Math.floor((start + 60_000) / 1_000));
  const stale = { case: "heartbeat", value: { staleSince: { seconds } } };
  expect(await first()).toMatchObject(stale);

  const second = watch();
  expect([(await second()).case, (await second()).case]).toEqual(["snapshot", "ready"]);
  expect(await second()).toMatchObject(stale);
});
