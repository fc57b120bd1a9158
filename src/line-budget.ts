/** Most kinds of lines with their own count. All others share one count. */
const maxKinds = 100;

const secondMs = 1_000;

/** Limits the lines of each kind, so that no client can fill a disk. */
export interface LineBudget {
  /**
   * Counts a line.
   *
   * @param kind lines of the same kind share a limit
   * @param perSecond the most lines of this kind in a second
   * @returns the number of lines of this kind that were dropped since the last one; undefined to drop this line too
   */
  admit(kind: string, perSecond: number): number | undefined;
  /** All lines that were dropped. */
  readonly dropped: number;
  /** Adds lines that another part has dropped. */
  addDropped(lines: number): void;
}

export function createLineBudget(): LineBudget {
  const seconds = new Map<string, { start: number; lines: number; leftOut: number }>();
  let dropped = 0;
  return {
    admit(kind, perSecond) {
      const now = performance.now();
      const key = seconds.has(kind) || seconds.size < maxKinds ? kind : "";
      const second = seconds.getOrInsertComputed(key, () => ({ start: now, lines: 0, leftOut: 0 }));
      if (now - second.start >= secondMs) {
        second.start = now;
        second.lines = 0;
      }
      if (second.lines >= perSecond) {
        second.leftOut += 1;
        dropped += 1;
        return undefined;
      }
      second.lines += 1;
      const { leftOut } = second;
      second.leftOut = 0;
      return leftOut;
    },
    get dropped() {
      return dropped;
    },
    addDropped(lines) {
      dropped += lines;
    },
  };
}
