import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { guarded } from "../call/guard.ts";

/** Time without a reset after which a flood is over, in milliseconds. */
const calmMs = 5_000;

/** What V8 does during and after a flood. Replaced by tests. */
export interface Collector {
  /** Makes V8 collect its old generation before it has grown by a tenth. This costs up to a third of the CPU time. */
  hurry(): void;
  /** Ends that, collects all garbage, which takes about 0.1 s, and returns free memory to the system. */
  finish(): void;
}

/**
 * Makes a function to be called when connections are reset because of the memory that they take. V8 would let the
 * garbage of a flood grow to several times its live objects, and keep that memory until it has to allocate as much
 * again, which an idle process never does.
 *
 * @param report called with an error of the collector
 */
export function createMemoryReturn(
  report: (error: unknown) => void,
  collector: Collector = v8Collector,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    timer = undefined;
    collector.finish();
  };
  return () => {
    if (timer) {
      timer.refresh();
    } else {
      collector.hurry();
      timer = setTimeout(guarded(report, end), calmMs).unref();
    }
  };
}

const v8Collector: Collector = {
  hurry: () => setFlagsFromString("--heap-growing-percent=10"),
  finish() {
    setFlagsFromString("--heap-growing-percent=0");
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as NodeJS.GCFunction;
    gc({ type: "major", execution: "sync", flavor: "last-resort" });
  },
};
