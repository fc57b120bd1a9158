import type { StockChange } from "../../../src/stores/stock-change.ts";
import { type Entry, isOfHold, type Outcome, type Update } from "./history.ts";

/**
 * An atomic step: an operation, or one message of an import. The checker reads the same names (checker/history.go).
 */
export interface Step extends Omit<Entry, "messages"> {
  readonly updates?: readonly Update[];
  /** The quantity of all other pets in a message of an import. */
  readonly others?: number;
  /** The version of the last recorded change of the step; undefined if there is none. */
  readonly made?: number;
}

/** The version of a step of which only some changes were recorded. No change has this version. */
const partlyMade = -1;

/**
 * Adds the recorded changes to each operation. They show whether an operation with an open outcome was made, and in
 * which order. The checker verifies this claim of the service like all others.
 *
 * @param others number of other pets
 */
export function recorded(
  entries: readonly Entry[],
  changes: readonly StockChange[],
  others: number,
): Step[] {
  const byRequest = Map.groupBy(changes, ({ requestId }) => requestId);
  const steps: Step[] = [];
  for (const entry of entries) {
    let left = byRequest.get(entry.reference) ?? [];
    for (const step of stepsOf(entry, others)) {
      const count = isOfHold(step) ? left.length : changeCount(step, others);
      const own = left.slice(0, count);
      left = left.slice(count);
      const version = own.length === count ? Number(own.at(-1)?.version) : partlyMade;
      steps.push({ ...step, ...(own.length > 0 && { made: version }) });
    }
    byRequest.set(entry.reference, left);
  }
  return steps;
}

function changeCount(step: Step, others: number): number {
  return (step.updates?.length ?? 1) + (step.others === undefined ? 0 : others);
}

/** Splits an import into its messages, which are applied in order, each atomically. */
function stepsOf({ messages, ...entry }: Entry, others: number): readonly Step[] {
  if (messages === undefined) return [entry];
  let rows = 0;
  return messages.map((message) => {
    const step = { ...entry, ...message };
    rows += changeCount(step, others);
    return { ...step, outcome: outcomeAt(rows, entry.outcome) };
  });
}

function outcomeAt(row: number, outcome: Outcome): Outcome {
  return outcome.kind === "expired" && row <= outcome.rows ? { kind: "imported" } : outcome;
}
