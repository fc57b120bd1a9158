/**
 * Bounds how often something may happen: `burst` times at once, and `perSecond` times a second in the long run.
 * Times are milliseconds of the monotonic clock.
 */
export class TokenBucket {
  readonly #burst: number;
  readonly #perMs: number;
  #tokens: number;
  #filledAt: number;

  constructor(burst: number, perSecond: number, now = performance.now()) {
    this.#burst = burst;
    this.#perMs = perSecond / 1_000;
    this.#tokens = burst;
    this.#filledAt = now;
  }

  /** Takes one token. @returns false when there is none left */
  take(now = performance.now()): boolean {
    this.#fill(now);
    if (this.#tokens < 1) {
      return false;
    }
    this.#tokens -= 1;
    return true;
  }

  /** Whether no token has been taken lately. */
  isFull(): boolean {
    if (this.#tokens < this.#burst) {
      this.#fill(performance.now());
    }
    return this.#tokens >= this.#burst;
  }

  #fill(now: number): void {
    const more = (now - this.#filledAt) * this.#perMs;
    this.#tokens = Math.min(this.#burst, this.#tokens + more);
    this.#filledAt = now;
  }
}
