/** A limit on how many operations with the same key run at once, such as the open watches of one account. */
export interface ConcurrencyLimit<Caller> {
  readonly max: number;
  /** Returns the key under which a caller is counted; undefined when this limit does not apply to the caller. */
  keyOf(caller: Caller): unknown;
  /** Makes the error for a caller beyond the limit. */
  exceeded(): Error;
}

/** Several limits that an operation must satisfy together. */
export interface ConcurrencyLimits<Caller> {
  /**
   * Counts one more operation of a caller.
   *
   * @returns a function that ends the count; calling it again does nothing
   * @throws the error of the first limit that is reached; nothing is counted then
   */
  acquire(caller: Caller): () => void;
}

/** Creates the counters of some limits, which are checked in the given order. */
export function createConcurrencyLimits<Caller>(
  limits: readonly ConcurrencyLimit<Caller>[],
): ConcurrencyLimits<Caller> {
  const counters = limits.map((limit) => ({ limit, counts: new Map<unknown, number>() }));

  return {
    acquire(caller) {
      const keys = counters.map(({ limit }) => limit.keyOf(caller));
      for (const [index, { limit, counts }] of counters.entries()) {
        if ((counts.get(keys[index]) ?? 0) >= limit.max) throw limit.exceeded();
      }
      for (const [index, { counts }] of counters.entries()) {
        const key = keys[index];
        if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      let isAcquired = true;
      return () => {
        if (!isAcquired) return;
        isAcquired = false;
        for (const [index, { counts }] of counters.entries()) {
          const left = (counts.get(keys[index]) ?? 0) - 1;
          if (left > 0) counts.set(keys[index], left);
          else counts.delete(keys[index]);
        }
      };
    },
  };
}
