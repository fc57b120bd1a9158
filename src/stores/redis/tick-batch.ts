import type { CallContext } from "../../common/call-context.ts";

interface Waiting<T, R> {
  readonly entry: T;
  /** When it began to wait; 0 when it is not sampled. */
  readonly since: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Makes a function whose calls in one event-loop tick run as one batch, so that they share a round trip and a script
 * call. The wait of a sampled call for its batch is a span.
 *
 * @param run runs a batch; its results are in the order of the entries
 * @param most the most entries of a batch, which bounds how long one script call blocks Redis
 * @param groupOf only entries of the same group share a batch: the slot of an entry's keys. All groups are sent at the
 * end of the tick
 */
export function batchByTick<T extends CallContext, R>(
  run: (entries: readonly T[]) => Promise<readonly R[]>,
  most: number,
  groupOf: (entry: T) => number = () => 0,
): (entry: T) => Promise<R> {
  let groups = new Map<number, Waiting<T, R>[]>();
  let isScheduled = false;

  async function runBatch(batch: readonly Waiting<T, R>[]): Promise<void> {
    for (const { entry, since } of batch) {
      entry.record?.span?.startChild("wait for batch", "internal", since).end(performance.now());
    }
    try {
      const results = await run(batch.map(({ entry }) => entry));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as R);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function flush(): void {
    isScheduled = false;
    const batches = groups;
    // A map that is cleared keeps its old table, which refers to the new one. Once such a table is in V8's old space, all
    // later batches would stay in memory until the next major collection.
    groups = new Map();
    for (const batch of batches.values()) runBatch(batch);
  }

  function add(waiting: Waiting<T, R>): void {
    if (!isScheduled) {
      isScheduled = true;
      setImmediate(flush);
    }
    const group = groupOf(waiting.entry);
    const batch = groups.get(group);
    if (batch === undefined) {
      groups.set(group, [waiting]);
      return;
    }
    batch.push(waiting);
    if (batch.length === most) {
      groups.delete(group);
      runBatch(batch);
    }
  }

  return (entry) => {
    const since = entry.record?.span ? performance.now() : 0;
    return new Promise((resolve, reject) => add({ entry, since, resolve, reject }));
  };
}
