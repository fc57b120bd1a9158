import type { Socket } from "node:net";
import { addressGroup } from "../access/client-address.ts";
import { guarded } from "../call/guard.ts";

/** Time in an event-loop tick after which no further connection begins in it, in milliseconds. */
const tickMs = 3;
/** A beginning of at least this many milliseconds is followed by a pause. */
const heavyMs = 2;

/**
 * Lets new connections begin in turns. The bytes that a client has sent before then are processed at once, and can be
 * hundreds of requests. A beginning that turns out to be heavy is followed by a pause as long as the event loop was busy
 * with it, so that half of the time is left to other connections. Addresses take turns.
 */
export class ConnectionTurns {
  /** Waiting beginnings by address, in the order of their turns. */
  readonly #queues = new Map<string, (() => void)[]>();
  readonly #report: (error: unknown) => void;
  #isBusy = false;
  /** Time that was used in this event-loop tick, in milliseconds. */
  #usedMs = 0;

  /** @param report called with an error of a beginning */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /**
   * Begins a connection, now or in a later event-loop tick, unless it is closed by then.
   *
   * @param begin its time counts with that of the callbacks that it passes to `process.nextTick`
   */
  run(socket: Socket, begin: () => void): void {
    const work = () => {
      if (!socket.destroyed) begin();
    };
    if (!this.#isBusy) {
      this.#do(work);
      return;
    }
    const address = addressGroup(socket.remoteAddress ?? "");
    this.#queues.getOrInsertComputed(address, () => []).push(work);
  }

  #do(work: () => void): void {
    this.#isBusy = true;
    const begun = performance.now();
    guarded(this.#report, work)();
    process.nextTick(() => this.#done(begun));
  }

  #done(begun: number): void {
    const ms = performance.now() - begun;
    this.#usedMs += ms;
    if (ms >= heavyMs) {
      // The event loop does not wait while an immediate is pending, so all of this time is work.
      const pause = () => setTimeout(() => this.#nextTick(), performance.now() - begun);
      setImmediate(() => setImmediate(pause));
    } else if (this.#usedMs < tickMs && this.#queues.size > 0) {
      this.#next();
    } else {
      setImmediate(() => this.#nextTick());
    }
  }

  #nextTick(): void {
    this.#usedMs = 0;
    this.#next();
  }

  #next(): void {
    this.#isBusy = false;
    for (const [address, queue] of this.#queues) {
      const work = queue.shift();
      // The next turn of the address comes after those of all others.
      this.#queues.delete(address);
      if (queue.length > 0) this.#queues.set(address, queue);
      if (work) this.#do(work);
      return;
    }
  }
}
