import { SharedPool } from "connect-gateway/call";

/** Most kinds of lines with their own count. All others share one count. */
const maxKinds = 100;

const secondMs = 1_000;

export interface LineLimit {
  readonly lines: number;
  /** The most of them that one client causes. By default, a bit more than half of them. */
  readonly ofClient?: number;
}

interface Second {
  start: number;
  places: SharedPool;
  leftOut: number;
}

export type LineBudget = ReturnType<typeof createLineBudget>;

/** Creates limits for the lines of each kind, so that no client can fill a disk or take all lines of a kind. */
export function createLineBudget() {
  const seconds = new Map<string, Second>();
  const budget = {
    /** The number of lines that were dropped, because of a limit or because nothing read them. */
    dropped: 0,
    /**
     * Counts a line.
     *
     * @param kind lines of the same kind share a limit
     * @param client the account or address that causes the line; undefined when no client does
     * @returns the number of lines of this kind that were dropped since the last one; undefined to drop this line too
     */
    admit(kind: string, { lines, ofClient = lines }: LineLimit, client: string | undefined) {
      const now = performance.now();
      const key = seconds.has(kind) || seconds.size < maxKinds ? kind : "";
      const places = () => new SharedPool({ name: "log lines", size: lines, share: ofClient });
      const second = seconds.getOrInsertComputed(key, () => ({
        start: now,
        places: places(),
        leftOut: 0,
      }));
      if (now - second.start >= secondMs) {
        second.start = now;
        second.places = places();
      }
      if (!second.places.holderOf(client).enter()) {
        second.leftOut += 1;
        budget.dropped += 1;
        return undefined;
      }
      const { leftOut } = second;
      second.leftOut = 0;
      return leftOut;
    },
  };
  return budget;
}
