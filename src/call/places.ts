/** A limit on the number of holders with the same key, such as open watches of one account. */
export interface Bound<Holder> {
  readonly most: number;
  /** Returns the key of a holder; undefined for a holder that this bound does not count. */
  keyOf(holder: Holder): unknown;
  /** The error of a holder beyond the bound. */
  exceeded(): Error;
}

/** Places that holders take and give back. */
export interface Places<Holder> {
  /**
   * Takes a place.
   *
   * @returns a function that gives the place back; further calls of it do nothing
   * @throws the error of the first bound that is reached; no place is taken then
   */
  take(holder: Holder): () => void;
}

/** Creates places that keep all of the bounds. */
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
