/** How many holders that share a key there may be at once. */
export interface Bound<Holder> {
  readonly most: number;
  /** What holders are counted by; undefined for a holder that this bound does not count. */
  keyOf(holder: Holder): unknown;
  /** The error of a holder beyond the bound. */
  exceeded(): Error;
}

/** Places that are taken and given back. */
export interface Places<Holder> {
  /**
   * Takes a place.
   *
   * @returns gives it back; only the first call counts
   * @throws the error of the first bound that is reached: no place is taken then
   */
  take(holder: Holder): () => void;
}

/** Makes places, as many as all of the bounds allow. */
export function createPlaces<Holder>(bounds: readonly Bound<Holder>[]): Places<Holder> {
  const counters = bounds.map((bound) => ({ bound, counts: new Map<unknown, number>() }));

  return {
    take(holder) {
      const keys = counters.map(({ bound }) => bound.keyOf(holder));
      for (const [index, { bound, counts }] of counters.entries()) {
        if ((counts.get(keys[index]) ?? 0) >= bound.most) throw bound.exceeded();
      }
      for (const [index, { counts }] of counters.entries()) {
        const key = keys[index];
        if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        for (const [index, { counts }] of counters.entries()) {
          const left = (counts.get(keys[index]) ?? 0) - 1;
          if (left > 0) counts.set(keys[index], left);
          else counts.delete(keys[index]);
        }
      };
    },
  };
}
