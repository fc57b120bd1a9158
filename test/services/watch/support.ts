import { onTestFinished } from "vitest";
import { PetStatus, type WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import { requestKey } from "../../../packages/connect-gateway/src/call/request-info.ts";
import { createWatchService } from "../../../src/services/watch/watch-service.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import type { StockChange } from "../../../src/stores/stock-change.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { contextOf } from "../../support/context.ts";

type Limits = Parameters<typeof createWatchService>[1];

/** The heartbeats come after the test. */
const settings: Limits = {
  heartbeatMs: 300_000,
  backlog: 100,
  maxPerKey: 10,
  maxPerAccount: 10,
  maxPerProcess: 10,
};

export type Messages = AsyncGenerator<WatchInventoryResponse>;

/**
 * Makes watches that are called in the process, over stores in memory with an account, its key, and pet 1.
 *
 * @param replace returns the stores that the watches see in place of those
 */
export async function startWatches(
  replace: (stores: Stores) => Partial<Stores> = () => ({}),
  { now, expiresAt, ...limits }: Partial<Limits> & { now?: () => number; expiresAt?: number } = {},
) {
  const stores = createMemoryStores(now);
  const accountId = await addAccount(stores);
  const key = await addKey(stores, accountId, { expiresAt });
  await stores.catalog.create({ petId: 1n, quantity: 1, status: PetStatus.AVAILABLE });
  const service = createWatchService({ ...stores, ...replace(stores) }, { ...settings, ...limits });
  onTestFinished(() => service.stop());

  /** Calls a watch. @returns its messages, and what ends its call */
  function call(resumeToken = "", keyId = key.keyId, once = false) {
    const controller = new AbortController();
    const end = (reason: unknown) => controller.abort(reason);
    const context = contextOf({ accountId, keyId }, { ...requestKey.defaultValue, end });
    const messages = service.watchInventory({ resumeToken, petIds: [], once } as never, {
      ...context,
      signal: controller.signal,
    });
    return { messages: messages as Messages, controller };
  }
  const watch = (...which: Parameters<typeof call>) => call(...which).messages;
  return { stores, accountId, key, service, call, watch };
}

/** Makes a reader of changes with these results, which ends no watch for a revocation, as if a failover had lost that. */
export function readerOf(...results: Promise<readonly StockChange[]>[]): Stores["readChanges"] {
  const next = () => results.shift() ?? new Promise<never>(() => {});
  return () => ({ next, close() {} });
}

/** Reads a message. @returns its kind */
export async function nextKind(messages: Messages): Promise<string | undefined> {
  return (await messages.next()).value.event.case;
}

/** Reads messages up to the first of a kind. @returns that message */
export async function upTo(kind: string, messages: Messages): Promise<WatchInventoryResponse> {
  for (;;) {
    const { value } = await messages.next();
    if (value.event.case === kind) return value;
  }
}
