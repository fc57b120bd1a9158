import { startTimer } from "../../call/timer.ts";

export interface TimedWork {
  /** That time on the clock of performance.now(), in milliseconds. */
  readonly endsAt: number;
  /** Where it is in the list of open work; -1 when it is not there. */
  place: number;
  /** Ends the work, which calls {@link Deadlines.delete}. Must not throw. */
  expire(): void;
}

/** Ends work that is not done in time, by one timer: most work takes less time than starting a timer. */
export class Deadlines {
  /** A Set would keep work that it had held before it grew or shrank, until the next major collection. */
  readonly #open: TimedWork[] = [];
  #firesAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  add(work: TimedWork): void {
    work.place = this.#open.push(work) - 1;
    if (work.endsAt < this.#firesAt) this.#fireAt(work.endsAt);
  }

  delete(work: TimedWork): void {
    const { place } = work;
    if (place < 0) return;
    work.place = -1;
    const last = this.#open.pop();
    if (last === undefined || last === work) return;
    this.#open[place] = last;
    last.place = place;
  }

  #fireAt(at: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = at;
    this.#timer = startTimer(() => this.#fire(), at - performance.now())?.unref();
  }

  #fire(): void {
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const work of [...this.#open]) {
      if (work.endsAt <= now) work.expire();
      else next = Math.min(next, work.endsAt);
    }
    this.#fireAt(next);
  }
}
