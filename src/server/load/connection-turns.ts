import type { Socket } from "node:net";
import { addressGroup } from "../../access/client-address.ts";
import { guarded } from "../../call/guard.ts";

/** Time in an event-loop tick after which no further connection begins in it, in milliseconds. */
const tickMs = 3;
/** A beginning of at least this many milliseconds is followed by a pause. */
const heavyMs = 2;
/**
 * First bytes of a connection from which on its beginning may be heavy. Most of the work of many streams follows in the
 * next iterations of the event loop, so it is not known when the beginning returns.
 */
const largeBytes = 1024;
/** How long an address waits behind others for each millisecond that its beginnings take, in milliseconds. */
const waitPerMs = 1_000;
/** Most addresses whose latest turns are remembered. */
const maxTurns = 10_000;

/** The latest turn of an address. */
interface Turn {
  /** Mean work of its latest beginnings, in milliseconds. */
  readonly meanMs: number;
  /** When it ended, in milliseconds. */
  readonly at: number;
}

/** An address without a turn so far may turn out to be heavy. */
const noTurn: Turn = { meanMs: heavyMs, at: 0 };

/** A connection that waits for its turn. */
interface Waiting {
  readonly begin: () => void;
  readonly isLarge: boolean;
  /** When it arrived, in milliseconds. */
  readonly since: number;
}

/**
 * Lets new connections begin in turns. The bytes that a client has sent before then are processed at once, and can be
 * hundreds of requests. A beginning that turns out to be heavy is followed by a pause as long as the event loop was busy
 * with it, so that half of the time is left to other connections.
 *
 * Addresses whose connections have begun with little work go first. So a client that polls on new connections does not
 * wait for a flood, whether it comes from one address or from many. Addresses with similar work take turns, and the
 * longer an address waits, the sooner is its turn.
 */
export class ConnectionTurns {
  /** Waiting connections by address. */
  readonly #queues = new Map<string, Waiting[]>();
  /** Latest turns by address. */
  readonly #turns = new Map<string, Turn>();
  readonly #report: (error: unknown) => void;
  readonly #now: () => number;
  #isBusy = false;
  /** Time that was used in this event-loop tick, in milliseconds. */
  #usedMs = 0;

  /**
   * @param report called with an error of a beginning
   * @param now returns the time in milliseconds
   */
  constructor(report: (error: unknown) => void, now = () => performance.now()) {
    this.#report = report;
    this.#now = now;
  }

  /**
   * Begins a connection, now or in a later event-loop tick, unless it is closed by then.
   *
   * @param begin its time counts with that of the callbacks that it passes to `process.nextTick`
   */
  run(socket: Socket, begin: () => void): void {
    const address = addressGroup(socket.remoteAddress);
    const isLarge = socket.readableLength >= largeBytes;
    const work = () => {
      if (!socket.destroyed) begin();
    };
    if (this.#isBusy) {
      const waiting = { begin: work, isLarge, since: this.#now() };
      this.#queues.getOrInsertComputed(address, () => []).push(waiting);
    } else this.#do(address, work, isLarge);
  }

  #do(address: string, work: () => void, isLarge: boolean): void {
    this.#isBusy = true;
    const begun = this.#now();
    guarded(this.#report, work)();
    process.nextTick(() => this.#done(address, begun, isLarge));
  }

  #done(address: string, begun: number, isLarge: boolean): void {
    const ms = this.#now() - begun;
    this.#usedMs += ms;
    if (isLarge || ms >= heavyMs) {
      // The event loop does not wait while an immediate is pending, so all of this time is work.
      setImmediate(() => setImmediate(() => this.#pause(address, begun)));
      return;
    }
    this.#record(address, ms);
    if (this.#usedMs < tickMs && this.#queues.size > 0) {
      this.#next();
    } else {
      setImmediate(() => this.#nextTick());
    }
  }

  #pause(address: string, begun: number): void {
    const ms = this.#now() - begun;
    this.#record(address, ms);
    if (ms >= heavyMs) setTimeout(() => this.#nextTick(), ms);
    else this.#nextTick();
  }

  #record(address: string, ms: number): void {
    const { meanMs } = this.#turns.get(address) ?? { meanMs: ms };
    if (this.#turns.size >= maxTurns) this.#turns.clear();
    this.#turns.set(address, { meanMs: meanMs + (ms - meanMs) / 4, at: this.#now() });
  }

  #nextTick(): void {
    this.#usedMs = 0;
    this.#next();
  }

  #next(): void {
    this.#isBusy = false;
    let first: string | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const [address, [head]] of this.#queues) {
      const { meanMs, at } = this.#turns.get(address) ?? noTurn;
      // Addresses whose work differs by less than half are alike.
      const level = 2 ** Math.floor(Math.log2(meanMs));
      const due = Math.max(head?.since ?? 0, at) + waitPerMs * level;
      if (due >= least) continue;
      first = address;
      least = due;
    }
    if (first === undefined) return;
    const queue = this.#queues.get(first) ?? [];
    const head = queue.shift();
    if (queue.length === 0) this.#queues.delete(first);
    if (head) this.#do(first, head.begin, head.isLarge);
  }
}
