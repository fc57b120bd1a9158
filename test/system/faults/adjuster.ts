import type { StockChange } from "../../../src/stores/stock-change.ts";
import type { Client, Outcome } from "./client.ts";

/** One adjustment by 1, and its outcome. */
interface Adjustment {
  /** Unique. The history has it with the change. */
  readonly reference: string;
  /** The time of `performance.now()` when the response had arrived, in ms. */
  readonly endedAt: number;
  /** The response says whether the adjustment was made, or leaves that open. */
  readonly outcome: "made" | "not made" | "open";
}

/** Adjusts one pet by 1 again and again, without idempotency keys. */
export interface Adjuster {
  readonly worker: string;
  readonly petId: bigint;
  readonly adjustments: readonly Adjustment[];
  next(): Promise<Outcome>;
}

export function createAdjuster(worker: string, client: Client, petId: bigint): Adjuster {
  const adjustments: Adjustment[] = [];
  let sent = 0;
  return {
    worker,
    petId,
    adjustments,
    async next() {
      sent += 1;
      const reference = `${worker} ${sent}`;
      const add = (outcome: Adjustment["outcome"]) =>
        adjustments.push({ reference, endedAt: performance.now(), outcome });
      try {
        const outcome = await client.adjust(petId, 1, reference);
        add(outcomeOf(outcome));
        return outcome;
      } catch (error) {
        add("open");
        throw error;
      }
    },
  };
}

function outcomeOf({ code, message }: Outcome): Adjustment["outcome"] {
  if (code === "ok") return "made";
  return message.includes("may or may not have been made") ? "open" : "not made";
}

/** What the history says about adjustments. */
interface Accounts {
  /** References of adjustments that are several times in the history. */
  readonly doubled: readonly string[];
  /** Adjustments that were acknowledged, but are not in the history. */
  readonly lost: readonly Adjustment[];
  /** References of adjustments that are in the history, although the response says that they were not made. */
  readonly denied: readonly string[];
  /** References in the history that nobody sent. */
  readonly unknown: readonly string[];
}

/** Compares the outcomes of adjustments with the history of the stock. */
export function settleAccounts(
  adjusters: readonly Adjuster[],
  changes: readonly StockChange[],
): Accounts {
  const counts = new Map<string, number>();
  for (const { reference } of changes) counts.set(reference, (counts.get(reference) ?? 0) + 1);
  const all = adjusters.flatMap(({ adjustments }) => adjustments);
  const sent = new Set(all.map(({ reference }) => reference));
  const isMade = ({ reference }: Adjustment) => counts.has(reference);
  return {
    doubled: [...counts].filter(([, count]) => count > 1).map(([reference]) => reference),
    lost: all.filter((each) => each.outcome === "made" && !isMade(each)),
    denied: all
      .filter((each) => each.outcome === "not made" && isMade(each))
      .map(({ reference }) => reference),
    unknown: [...counts.keys()].filter((reference) => !sent.has(reference)),
  };
}
