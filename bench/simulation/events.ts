/** Simulated time, in µs, with the events that are due. */
export interface Timeline {
  now(): number;
  /** Runs a function at a time. Functions of the same time run in the order of these calls. */
  at(time: number, run: () => void): void;
  /** Runs everything that is due until a time. */
  runUntil(time: number): void;
}

interface Event {
  readonly time: number;
  readonly order: number;
  run(): void;
}

/** Makes a timeline that begins at 0. */
export function createTimeline(): Timeline {
  /** A binary heap: each event is due before those at `2 × index + 1` and `2 × index + 2`. */
  const heap: Event[] = [];
  let now = 0;
  let order = 0;

  const isBefore = (a: Event, b: Event) =>
    a.time < b.time || (a.time === b.time && a.order < b.order);

  function push(event: Event): void {
    let at = heap.length;
    for (;;) {
      const above = (at - 1) >> 1;
      const parent = at > 0 ? heap[above] : undefined;
      if (!parent || isBefore(parent, event)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = event;
  }

  function pop(): void {
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const next = right && left && isBefore(right, left) ? right : left;
      if (!next || isBefore(last, next)) break;
      heap[at] = next;
      at = next === left ? 2 * at + 1 : 2 * at + 2;
    }
    heap[at] = last;
  }

  return {
    now: () => now,
    at(time, run) {
      order += 1;
      push({ time, order, run });
    },
    runUntil(time) {
      for (let next = heap[0]; next && next.time <= time; next = heap[0]) {
        pop();
        now = next.time;
        next.run();
      }
      now = time;
    },
  };
}
