import { ConnectError } from "@connectrpc/connect";
import { guarded } from "connect-gateway/call";
import { accountOfKeyId } from "../../access/api-key.ts";
import { banLadderMs } from "../../access/bans.ts";
import type { UsageCounter } from "../../access/usage-counter.ts";
import { append } from "../../common/append.ts";
import { minuteMs } from "../../common/durations.ts";
import type { Ban } from "../../stores/admission-store.ts";
import type { KeyMinute, KnownBan, UsageBatch, UsageStore } from "../../stores/usage-store.ts";
import { createPendingCounts, type Pending } from "./pending-counts.ts";

export interface UsageShipperOptions {
  /** Called with the number of requests that are lost for reports, or may be. */
  readonly onDropped: (requests: number) => void;
  /** Called with errors that are bugs. */
  readonly onFault: (error: unknown) => void;
  /** How often to look for accounts whose counts are due, in milliseconds. */
  readonly intervalMs?: number;
  /** How long the requests of a slow account wait for others, in milliseconds. */
  readonly longestWaitMs?: number;
}

/** Default time between two looks for due counts, in milliseconds. */
const defaultIntervalMs = 1_000;

/** Default time that requests wait for others of their account, in milliseconds. A killed process loses their counts. */
const defaultLongestWaitMs = 10_000;

/** An account with so many requests does not wait longer: a batch costs Redis less than 5 % of their decisions. */
const enoughRequests = 50;

/** How many times longer than usual the counter waits after a failure. */
const pauseFactor = 5;

/** The most counts of a batch, so that it takes Redis less than a millisecond. */
const maxBatch = 100;

const maxBans = 1_000;

/** Counts requests in memory, and adds them to the store in batches. */
export type UsageShipper = ReturnType<typeof createUsageShipper>;

/** Makes a shipper. It does nothing until requests are counted. */
export function createUsageShipper(
  store: Pick<UsageStore, "slotOf" | "add">,
  options: UsageShipperOptions,
) {
  const { onDropped, onFault } = options;
  const { intervalMs = defaultIntervalMs, longestWaitMs = defaultLongestWaitMs } = options;
  const pending = createPendingCounts(onDropped);
  let bans: KnownBan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isReachable = true;
  let isClosed = false;

  function schedule(ms: number): void {
    if (isClosed || running) return;
    timer ??= setTimeout(onTimer, ms).unref();
  }

  const onTimer = guarded(onFault, () => {
    timer = undefined;
    run(isDue);
  });

  function isDue({ requests, since }: Pending): boolean {
    if (requests >= enoughRequests || pending.isHalfFull()) return true;
    return performance.now() - since >= longestWaitMs;
  }

  function run(which: (account: Pending) => boolean): Promise<void> {
    running ??= shipBatches(which)
      .catch(onFault)
      .finally(() => {
        running = undefined;
        if (!isReachable) schedule(intervalMs * pauseFactor);
        else if (bans.length > 0) schedule(0);
        else if (pending.all().length > 0) schedule(intervalMs);
      });
    return running;
  }

  async function shipBatches(which: (account: Pending) => boolean): Promise<void> {
    const bySlot = new Map<number, { accountIds: string[]; bans: KnownBan[] }>();
    const batchOf = (accountId: string) =>
      bySlot.getOrInsertComputed(store.slotOf(accountId), () => ({ accountIds: [], bans: [] }));
    for (const ban of bans) batchOf(accountOfKeyId(ban.keyId)).bans.push(ban);
    bans = [];
    for (const { accountId } of pending.all().filter(which)) {
      batchOf(accountId).accountIds.push(accountId);
    }
    isReachable = true;
    for (const { accountIds, bans: some } of bySlot.values()) {
      // Counts stay here until their slot's turn, where `ship` finds them for a report.
      await sendAll(accountIds.flatMap(pending.take), some);
    }
  }

  /** Adds counts to the store in batches. After a failure it keeps the others, because each would wait for a timeout. */
  async function sendAll(counts: readonly KeyMinute[], some: readonly KnownBan[]): Promise<void> {
    for (let at = 0; at === 0 || at < counts.length; at += maxBatch) {
      const batch = { counts: counts.slice(at, at + maxBatch), bans: at === 0 ? some : [] };
      isReachable = isReachable ? await send(batch) : keep(batch);
    }
  }

  /** @returns whether the store can be reached */
  async function send(batch: UsageBatch): Promise<boolean> {
    try {
      return (await store.add(batch)) || keep(batch);
    } catch (error) {
      // The store's adapter has reported a ConnectError.
      if (!(error instanceof ConnectError)) onFault(error);
      onDropped(requestsOf(batch.counts));
      // Adding a ban twice changes nothing.
      return keep({ counts: [], bans: batch.bans });
    }
  }

  function keep(batch: UsageBatch): false {
    append(bans, batch.bans.slice(0, maxBans - bans.length));
    for (const counts of batch.counts) {
      for (const outcome of ["admitted", "limited", "banned"] as const) {
        if (counts[outcome] !== 0) pending.add(counts, counts.minute, outcome, counts[outcome]);
      }
    }
    schedule(intervalMs * pauseFactor);
    return false;
  }

  /** Adds everything to the store. Calls at the same time share the work. */
  async function shipAll(): Promise<void> {
    // A run that has begun may have left out accounts that were not due.
    await running;
    await run(() => true);
  }

  const count: UsageCounter["count"] = (key, outcome, at, requests) => {
    if (isClosed) return;
    pending.add(key, Math.floor(at / minuteMs), outcome, requests);
    if (!timer) schedule(intervalMs);
  };

  return {
    count,
    /** Remembers a ban, and adds it to the store soon. */
    banned({ keyId, level, until }: Ban & { readonly keyId: string }): void {
      if (isClosed || bans.length >= maxBans) return;
      bans.push({ keyId, since: until - (banLadderMs[level - 1] ?? 0), until });
      // At once, so that the list of bans has each key that is refused because of a ban.
      clearTimeout(timer);
      timer = undefined;
      schedule(0);
    },
    /** Adds what is counted of an account to the store. Never fails: what could not be added is added later. */
    async ship(accountId: string): Promise<void> {
      const counts = pending.take(accountId);
      if (counts.length === 0) return;
      isReachable = true;
      await sendAll(counts, []);
    },
    shipAll,
    /** Adds everything to the store, once. Then it counts no more. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await shipAll();
      const lost = requestsOf(pending.all().flatMap(({ accountId }) => pending.take(accountId)));
      if (lost > 0) onDropped(lost);
    },
  };
}

function requestsOf(counts: readonly KeyMinute[]): number {
  let sum = 0;
  for (const { admitted, limited, banned } of counts) sum += admitted + limited + banned;
  return Math.max(0, sum);
}
