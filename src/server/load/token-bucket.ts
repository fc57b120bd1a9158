/**
 * Limits how often an event may happen: `burst` times at once, and `perSecond` times per second in the long run. Times
 * are on the clock of performance.now(), in milliseconds.
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

  /** Takes tokens. @returns false when fewer are left */
  take(tokens = 1, now = performance.now()): boolean {
    this.#fill(now);
    if (this.#tokens < tokens) {
      return false;
    }
    this.#tokens -= tokens;
    return true;
  }

  /** Returns whether no tokens are missing, because none was taken recently. */
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
