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

export interface FollowEvents {
  /** Another process has the name. Reported once. */
  onWaiting(): void;
  /** The process has the name, and begins after a place. */
  onBegin(beginning: { readonly place: string; readonly isNew: boolean }): void;
  /** Redis is not available. Reported once for each outage. @param reason the error of the first failed call */
  onOutage(reason: string): void;
  /** The process has read records. @param left how many more there are */
  onRead(left: number): void;
}

/** Lets a process hand on records only while it has the name. */
export interface Lease {
  /** Waits until the lease lasts this long. @throws LeaseLost if it may have expired */
  lasting(ms: number): Promise<void>;
}

export interface Follower<R> {
  /** The kind of the follower and its name, such as `relay:erp`. */
  readonly name: string;
  readonly records: Records<R>;
  readonly places: PlaceStore;
  readonly options: FollowOptions;
  readonly events: FollowEvents;
  readonly signal: AbortSignal;
  /** Hands on records in their order. Yields each record up to which all were handed on, to move the place there. */
  handOn(records: readonly R[], lease: Lease): AsyncIterable<R>;
}

/** Another process may have the name now. */
class LeaseLost extends Error {
  override name = "LeaseLost";
  /** How far this process has got; undefined if it has not begun. */
  readonly place: string | undefined;

  constructor(place: string | undefined) {
    super("the lease is lost");
    this.place = place;
  }
}

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
  /** Calls Redis, again while it is not available. */
  const reach = retryOutages(follower);
  let last: string | undefined;
  try {
    for (;;) {
      const held = await waitForLease(follower, holder, reach);
      try {
        await followFrom(follower, { holder, reach, last, ...held });
        return;
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error;
        last = error.place ?? last;
      }
    }
  } catch (error) {
    if (!signal.aborted || error instanceof CommandError) throw error;
  } finally {
    // Without Redis, the lease ends by itself.
    await places.release(name, holder).catch(() => {});
  }
}

type Reach = <T>(work: () => Promise<T>) => Promise<T>;

function retryOutages({ options, events, signal }: Follower<unknown>): Reach {
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
  holder: string,
  reach: Reach,
): Promise<Held> {
  for (let hasWaited = false; ; hasWaited = true) {
    const leaseEnd = performance.now() + leaseMs;
    const held = await reach(() => places.hold(name, holder));
    if (held !== "taken") return { ...held, leaseEnd };
    if (!hasWaited) events.onWaiting();
    await delay(retryMs, undefined, { signal });
  }
}

interface Run extends Held {
  readonly holder: string;
  readonly reach: Reach;
  /** How far the process had got before it lost the lease; undefined if it has not begun, so that the options decide. */
  readonly last: string | undefined;
}

async function followFrom<R>(follower: Follower<R>, run: Run): Promise<void> {
  const { name, records, places, options, events, signal } = follower;
  const { holder, reach, last } = run;
  let { place, leaseEnd } = run;
  let hasBegun = last !== undefined;

  const leaseLost = () => new LeaseLost(hasBegun ? place : undefined);

  /** Renews the lease, and moves the place. */
  async function renew(to?: string): Promise<void> {
    const now = performance.now();
    // Another process may have moved the place.
    if (now > leaseEnd) throw leaseLost();
    const move = to === undefined ? undefined : { from: place, to };
    const held = await places.hold(name, holder, move);
    if (held === "taken" || (to !== undefined && held.place !== to)) throw leaseLost();
    leaseEnd = now + leaseMs;
    place = to ?? place;
  }
  const hold = (to?: string) => reach(() => renew(to));

  const lease: Lease = {
    async lasting(ms) {
      while (leaseEnd - performance.now() < ms) await hold();
    },
  };
  const renewal = setInterval(() => void renew().catch(() => {}), renewMs);
  try {
    const isNew = place === "" && last === undefined;
    if (last === undefined ? options.fromNow || isNew : place === "") {
      const which = options.fromBeginning ? "oldest" : "newest";
      // Redis can lose the place of a process that runs.
      await hold(last ?? (await reach(() => records.end(which))));
    }
    hasBegun = true;
    if (!records.placeForm.test(place)) throw damagedPlace(follower, place);
    events.onBegin({ place, isNew });
    while (!signal.aborted) {
      const since = await reach(() => records.since(place, pageSize));
      if (!since) throw lostPlace(follower, place);
      const final = since.records.at(-1);
      events.onRead(since.total);
      for await (const record of follower.handOn(since.records, lease)) {
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

const nameOf = ({ name }: Follower<unknown>) => name.replace(":", " ");

function damagedPlace(follower: Follower<unknown>, place: string): CommandError {
  return new CommandError(
    "out_of_range",
    `the place of ${nameOf(follower)} in Redis is damaged: it is ${quote(place)}. Add --from-now once to continue with new ${follower.records.noun}`,
  );
}

function lostPlace(follower: Follower<unknown>, place: string): CommandError {
  const { noun, setting } = follower.records;
  return new CommandError(
    "out_of_range",
    `the ${noun} after ${place.replace(/ .*/, "")}, the place of ${nameOf(follower)}, are lost: the service has removed them, or a backup was restored. Add --from-now once to continue with new ${noun}, and raise ${setting}`,
  );
}
