/** One call that waits for its turn to end. */
interface Waiting<T, R> {
  readonly entry: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Gathers the calls of one turn of the event loop and makes them together: many requests that arrive
 * at once cost one round trip and one script call.
 *
 * @param run makes calls together; its results are in the order of the entries
 * @param most how many calls go together at most: bounds how long one script keeps the server busy
 */
export function batchByTurn<T, R>(
  run: (entries: readonly T[]) => Promise<readonly R[]>,
  most: number,
): (entry: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = [];

  async function flush(): Promise<void> {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) {
      return;
    }
    try {
      const results = await run(batch.map(({ entry }) => entry));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as R);
      });
    } catch (error) {
      for (const { reject } of batch) {
        reject(error);
      }
    }
  }

  return (entry) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) {
        setImmediate(flush);
      }
      waiting.push({ entry, resolve, reject });
      if (waiting.length === most) {
        flush();
      }
    });
}
