import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ConnectError } from "@connectrpc/connect";
import { quote } from "connect-gateway/call";
import { leaseMs, type PlaceStore } from "../../stores/place-store.ts";
import { refusalByState } from "../../stores/redis/connection/start-fault.ts";
import { CommandError, usageError } from "../command-error.ts";
import { isOutage } from "../session/stock-events.ts";

export interface FollowOptions {
  readonly once?: true;
  readonly fromNow?: true;
  readonly fromBeginning?: true;
}

/** Records that the service adds to, and whose oldest ones it removes. */
export interface Records<R> {
  /** What messages call the records, such as `changes`. */
  readonly noun: string;
  /** The setting for how many records there are. */
  readonly setting: string;
  /** The time between two reads while there are no new records, in milliseconds. */
  readonly pollMs: number;
  /** What every place matches. */
  readonly placeForm: RegExp;
  /** Returns the place after the newest record, or before the oldest one. */
  end(which: "newest" | "oldest"): Promise<string>;
  placeAfter(record: R): string;
  /** Reads at most `most` next records, and how many there are; undefined if some after the place were removed or replaced. */
  since(
    place: string,
    most: number,
  ): Promise<{ readonly records: readonly R[]; readonly total: number } | undefined>;
}

interface FollowEvents {
  /** Another process has the name. Reported once. */
  onWaiting(): void;
  /** The process has the name, and begins after a place. */
  onBegin(beginning: { readonly place: string; readonly isNew: boolean }): void;
  /** Redis is not available. Reported once for each outage. @param reason the error of the first failed call */
  onOutage(reason: string): void;
  /** The process has read records. @param left how many more there are */
  onRead(left: number): void;
}

/** Waits until the process has the name for this long, in milliseconds. @throws LeaseLost if another process may have it */
export type HoldFor = (ms: number) => Promise<void>;

export interface Follower<R> {
  /** The kind of the follower and its name, such as `relay:erp`. */
  readonly name: string;
  readonly records: Records<R>;
  readonly places: PlaceStore;
  readonly options: FollowOptions;
  readonly events: FollowEvents;
  readonly signal: AbortSignal;
  /** Hands on records in their order. Yields each record up to which all were handed on, to move the place there. */
  handOn(records: readonly R[], holdFor: HoldFor): AsyncIterable<R>;
}

/** Another process may have the name now. */
class LeaseLost extends Error {}

/** Most records of a read. A page of the audit trail has one more entry: that before it. */
const pageSize = 99;

/** Delay before the next attempt to reach Redis, or to take the lease, in milliseconds. */
const retryMs = 500;

/** How often the lease is renewed, in milliseconds. */
const renewMs = 5_000;

/** Returns a name of followers. @throws CommandError */
export function followerName(kind: "history" | "audit" | "relay", name: string): string {
  if (/^[\w.~-]{1,64}$/.test(name)) return `${kind}:${name}`;
  throw usageError("<name>: must have 1 to 64 of the characters A-Z a-z 0-9 . _ ~ -");
}

/**
 * Hands on records after the place of a name, each at least once and in order, until the signal is aborted. Only one process
 * at a time does so: others wait. During an outage of Redis it waits, except with --once.
 *
 * @throws CommandError out_of_range if records after the place were removed or replaced, or the place is damaged
 */
export async function follow<R>(follower: Follower<R>): Promise<void> {
  const { name, places, options, signal } = follower;
  if (options.fromNow && options.fromBeginning) {
    throw usageError("--from-now and --from-beginning exclude each other: remove one of them");
  }
  const holder = randomUUID();
  const run: Run = { holder, reach: retryOutages(follower), last: undefined };
  try {
    for (;;) {
      const held = await waitForLease(follower, run);
      try {
        await followFrom(follower, run, held);
        return;
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error;
      }
    }
  } catch (error) {
    if (!signal.aborted || error instanceof CommandError) throw error;
  } finally {
    // Without Redis, the lease ends by itself.
    await places.release(name, holder).catch(() => {});
  }
}

interface Run {
  readonly holder: string;
  /** Calls Redis, again while it is not available. */
  readonly reach: <T>(work: () => Promise<T>) => Promise<T>;
  /** How far the process has got; undefined if it has not begun, so that the options decide. */
  last: string | undefined;
}

function retryOutages({ options, events, signal }: Follower<unknown>): Run["reach"] {
  let isDown = false;
  return async (work) => {
    for (;;) {
      try {
        const result = await work();
        isDown = false;
        return result;
      } catch (error) {
        if (options.once || signal.aborted || !isOutage(error)) throw error;
        if (!isDown) events.onOutage(outageReason(error));
        isDown = true;
        await delay(retryMs, undefined, { signal });
      }
    }
  };
}

function outageReason(error: unknown): string {
  const cause = error instanceof ConnectError ? (error.cause ?? error) : error;
  return refusalByState(cause) ?? (cause instanceof Error ? cause.message : `${cause}`);
}

/** What a process has of a name. */
interface Held {
  readonly place: string;
  /** When the lease ends if it is not renewed, on the clock of performance.now(), in milliseconds. */
  readonly leaseEnd: number;
}

async function waitForLease(
  { name, places, events, signal }: Follower<unknown>,
  { holder, reach }: Run,
): Promise<Held> {
  for (let hasWaited = false; ; hasWaited = true) {
    const leaseEnd = performance.now() + leaseMs;
    const held = await reach(() => places.hold(name, holder));
    if (held !== "taken") return { ...held, leaseEnd };
    if (!hasWaited) events.onWaiting();
    await delay(retryMs, undefined, { signal });
  }
}

async function followFrom<R>(follower: Follower<R>, run: Run, held: Held): Promise<void> {
  const { name, records, places, options, events, signal } = follower;
  const { holder, reach, last } = run;
  let { place, leaseEnd } = held;

  /** Renews the lease, and moves the place. */
  async function renew(to?: string): Promise<void> {
    const now = performance.now();
    // Another process may have moved the place.
    if (now > leaseEnd) throw new LeaseLost();
    const move = to === undefined ? undefined : { from: place, to };
    const renewed = await places.hold(name, holder, move);
    if (renewed === "taken" || (to !== undefined && renewed.place !== to)) throw new LeaseLost();
    leaseEnd = now + leaseMs;
    place = to ?? place;
    if (run.last !== undefined) run.last = place;
  }
  const hold = (to?: string) => reach(() => renew(to));

  const holdFor: HoldFor = async (ms) => {
    while (leaseEnd - performance.now() < ms) await hold();
  };
  const renewal = setInterval(() => void renew().catch(() => {}), renewMs);
  try {
    const isNew = place === "" && last === undefined;
    if (last === undefined ? options.fromNow || isNew : place === "") {
      const which = options.fromBeginning ? "oldest" : "newest";
      // Redis can lose the place of a process that runs.
      await hold(last ?? (await reach(() => records.end(which))));
    }
    run.last = place;
    if (!records.placeForm.test(place)) throw unusable(follower, place, "damaged");
    events.onBegin({ place, isNew });
    while (!signal.aborted) {
      const since = await reach(() => records.since(place, pageSize));
      if (!since) throw unusable(follower, place, "lost");
      const final = since.records.at(-1);
      events.onRead(since.total);
      for await (const record of follower.handOn(since.records, holdFor)) {
        await hold(records.placeAfter(record));
        if (signal.aborted) return;
      }
      if (final && records.placeAfter(final) !== place) await hold(records.placeAfter(final));
      if (since.records.length < since.total) continue;
      if (options.once) return;
      await delay(records.pollMs, undefined, { signal });
    }
  } finally {
    clearInterval(renewal);
  }
}

/** Returns the error for a place that is damaged, or after which records are lost. */
function unusable(follower: Follower<unknown>, place: string, fault: "damaged" | "lost") {
  const { noun, setting } = follower.records;
  const name = follower.name.replace(":", " ");
  const advice = `Add --from-now once to continue with new ${noun}`;
  const message = {
    damaged: `the place of ${name} in Redis is damaged: it is ${quote(place)}. ${advice}`,
    lost: `the ${noun} after ${place.replace(/ .*/, "")}, the place of ${name}, are lost: the service has removed them, or a backup was restored. ${advice}, and raise ${setting}`,
  };
  return new CommandError("out_of_range", message[fault]);
}
