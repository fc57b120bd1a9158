import { getEventListeners, once } from "node:events";
import { setImmediate as nextTick } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PetStatus, type WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import { requestKey } from "../../../packages/connect-gateway/src/call/request-info.ts";
import { createWatchService } from "../../../src/services/watch/watch-service.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { contextOf } from "../../support/context.ts";
import { fakeOwnTimers } from "../../support/own-timers.ts";

const heartbeatMs = 5_000;
const limits = { maxPerKey: 2, maxPerAccount: 4, maxPerProcess: 12 };

const left = new Error("left");

/** A watch, and what its client has seen. */
interface Watch {
  readonly key: number;
  /** Whether its client reads no more after the ready message. */
  readonly stalls: boolean;
  /** Whether there were as many watches as may be when it began. */
  readonly mayBeRefused: boolean;
  readonly call: AbortController;
  /** The version of the ready message, and of each change after it. */
  readonly versions: bigint[];
  readonly outcomes: unknown[];
  heartbeats: number;
}

type Step =
  | { readonly join: number; readonly again: boolean; readonly stalls: boolean }
  | { readonly leave: number }
  | { readonly changes: number }
  | { readonly revoke: number }
  | { readonly fault: "reader" | "end of history" }
  | { readonly ticks: number };

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ join: fc.nat(2), again: fc.boolean(), stalls: fc.boolean() }),
    },
    { weight: 3, arbitrary: fc.record({ leave: fc.nat(5) }) },
    { weight: 4, arbitrary: fc.record({ changes: fc.integer({ min: 1, max: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ revoke: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ fault: fc.constantFrom("reader", "end of history") }) },
    { weight: 4, arbitrary: fc.record({ ticks: fc.integer({ min: 0, max: 6 }) }) },
  ),
  { maxLength: 40, size: "max" },
) as fc.Arbitrary<Step[]>;

let withOwnTimers: ReturnType<typeof fakeOwnTimers>;
beforeEach(() => {
  withOwnTimers = fakeOwnTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("watches get every change once, whoever else comes, leaves or fails, and nothing is held afterwards", async () => {
  const seen = { changes: 0, refusals: 0 };
  await fc.assert(
    fc.asyncProperty(steps, (all) => withOwnTimers(() => check(all, seen))),
    { numRuns: 200 },
  );
  expect(Math.min(seen.changes, seen.refusals)).toBeGreaterThan(0);
});

async function check(
  all: readonly Step[],
  seen: { changes: number; refusals: number },
): Promise<void> {
  vi.clearAllTimers();
  const stores = createMemoryStores();
  const accountId = await addAccount(stores);
  const keyIds: string[] = [];
  for (let at = 0; at < 3; at += 1) keyIds.push((await addKey(stores, accountId)).keyId);
  const revoked = new Set<number>();
  await stores.catalog.create({ petId: 1n, quantity: 0, status: PetStatus.AVAILABLE });
  const readers = {
    open: 0,
    fault: undefined as Extract<Step, { fault: string }>["fault"] | undefined,
  };
  const service = createWatchService(
    { ...stores, readChanges: (onRevoked) => observed(stores.readChanges(onRevoked)) },
    { heartbeatMs, backlog: 1_000, ...limits },
  );
  const watches: Watch[] = [];
  const joins: Promise<void>[] = [];
  const isOpen = ({ call, outcomes }: Watch) => !call.signal.aborted && outcomes.length === 0;

  function observed(reader: ReturnType<Stores["readChanges"]>): typeof reader {
    let isOpened = true;
    readers.open += 1;
    return {
      async next(version) {
        const found = await reader.next(version);
        const { fault } = readers;
        readers.fault = undefined;
        if (fault === "reader") throw new Error("a bug");
        return fault ? undefined : found;
      },
      close() {
        expect(isOpened).toBe(true);
        isOpened = false;
        readers.open -= 1;
        reader.close();
      },
    };
  }

  async function join(key: number, again: boolean, stalls: boolean): Promise<void> {
    const call = new AbortController();
    const open = watches.filter(isOpen);
    // Those that are ending can have given their places back already.
    const mayBeRefused =
      open.length >= limits.maxPerAccount ||
      open.filter((other) => other.key === key).length >= limits.maxPerKey;
    const watch: Watch = {
      key,
      stalls,
      mayBeRefused,
      call,
      versions: [],
      outcomes: [],
      heartbeats: 0,
    };
    watches.push(watch);
    const caller = { accountId, keyId: keyIds[key] as string };
    const request = { ...requestKey.defaultValue, end: (reason: unknown) => call.abort(reason) };
    const context = { ...contextOf(caller, request), signal: call.signal };
    try {
      const messages = service.watchInventory(
        { resumeToken: "", petIds: [] } as never,
        context,
      ) as AsyncIterable<WatchInventoryResponse>;
      for await (const { event, resumeToken } of messages) {
        // A call that has ended sends nothing.
        if (call.signal.aborted) continue;
        if (event.case === "change" || event.case === "ready")
          watch.versions.push(BigInt(resumeToken));
        if (event.case === "heartbeat") watch.heartbeats += 1;
        if (stalls && event.case === "ready") await once(call.signal, "abort");
      }
      watch.outcomes.push("ended");
    } catch (error) {
      watch.outcomes.push(error);
      // While the failure is delivered to others.
      if (again && call.signal.reason !== left) joins.push(join(key, false, stalls));
    }
  }

  /** Waits until everything was delivered. */
  async function settle(): Promise<void> {
    for (let at = 0; at < 12; at += 1) await nextTick();
  }

  async function change(): Promise<void> {
    await stores.inventory.change({ petId: 1n, delta: 1 });
  }

  for (const step of all) {
    if ("join" in step) joins.push(join(step.join, step.again, step.stalls));
    else if ("leave" in step) {
      const open = watches.filter(isOpen);
      open[step.leave % open.length]?.call.abort(left);
    } else if ("changes" in step) for (let at = 0; at < step.changes; at += 1) await change();
    else if ("revoke" in step) {
      revoked.add(step.revoke);
      await stores.accounts.revokeKey(keyIds[step.revoke] as string);
    } else if ("fault" in step) {
      readers.fault = readers.open > 0 ? step.fault : undefined;
      await change();
    } else for (let at = 0; at < step.ticks; at += 1) await nextTick();
  }

  await settle();
  await expectDelivered();
  vi.advanceTimersByTime(heartbeatMs);
  await settle();
  const reading = watches.filter((watch) => isOpen(watch) && !watch.stalls);
  for (const watch of reading) expect(watch.heartbeats).toBeGreaterThan(0);

  // The last one that leaves ends the shared work, and no one before.
  for (const { call } of watches.filter(isOpen)) {
    expect(readers.open).toBe(1);
    call.abort(left);
    await settle();
    await change();
    await settle();
    await expectDelivered();
  }
  await Promise.all(joins);
  expect(readers.open).toBe(0);
  expect(service.status()).toEqual({ watches: 0, lag: 0 });
  vi.advanceTimersByTime(2 * heartbeatMs);
  expect(vi.getTimerCount()).toBe(0);
  for (const { outcomes, call, mayBeRefused, versions } of watches) {
    expect(outcomes).toHaveLength(1);
    const isRefused = ConnectError.from(outcomes[0]).code === Code.ResourceExhausted;
    if (isRefused) expect(mayBeRefused).toBe(true);
    seen.refusals += isRefused ? 1 : 0;
    seen.changes += Math.max(0, versions.length - 1);
    expect(getEventListeners(call.signal, "abort")).toEqual([]);
  }

  async function expectDelivered(): Promise<void> {
    const { version } = await stores.inventory.page(undefined, 1);
    const open = watches.filter(isOpen);
    expect(service.status().watches).toBe(open.length);
    expect(readers.open).toBe(open.length > 0 ? 1 : 0);
    expect(open.length).toBeLessThanOrEqual(limits.maxPerAccount);
    for (const key of keyIds.keys()) {
      expect(open.filter((watch) => watch.key === key).length).toBeLessThanOrEqual(
        limits.maxPerKey,
      );
    }
    for (const { key, versions, stalls } of open) {
      expect(revoked.has(key)).toBe(false);
      if (stalls) continue;
      const [first = 0n] = versions;
      const { changes = [] } = (await stores.inventory.changesSince(first, 1_000)) ?? {};
      expect(versions.slice(1)).toEqual(changes.map((each) => each.version));
      expect(versions.at(-1)).toBe(version);
    }
  }
}
