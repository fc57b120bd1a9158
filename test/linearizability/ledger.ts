import type { InventoryStore } from "../../src/stores/inventory-store.ts";
import type { StockChange } from "../../src/stores/stock-change.ts";
import { type Entry, type Initial, isDone, isOfHold, isOpen, isWrite, pets } from "./history.ts";
import { partlyMade, recorded, type Step } from "./recorded.ts";

/** The history of the service, and its final stock. */
export interface Ledger {
  /** Every change since the first operation, oldest first. */
  readonly changes: readonly StockChange[];
  /** The pets at the end. */
  readonly pets: readonly { readonly quantity: number; readonly version: number }[];
}

/** Reads all changes after a version. */
export async function readLedger(inventory: InventoryStore, version: number): Promise<Ledger> {
  const changes: StockChange[] = [];
  for (;;) {
    const from = changes.at(-1)?.version ?? BigInt(version);
    const page = await inventory.changesSince(from, 5_000);
    if (page === undefined) throw new Error("the history was trimmed during the run");
    if (page.changes.length === 0) break;
    changes.push(...page.changes);
  }
  const found = await Promise.all(pets.map((pet) => inventory.get(BigInt(pet))));
  return {
    changes,
    pets: found.map((item) => ({
      quantity: item?.quantity ?? -1,
      version: Number(item?.version),
    })),
  };
}

/**
 * Compares the outcomes with the history of the service. An acknowledged change is recorded exactly once, a refused
 * one never, and one with an open outcome at most once; none is recorded in part. The changes of each pet are a chain
 * without a gap that ends at its current state. No change precedes one that was acknowledged before it was requested.
 * Each pet that a client received had that quantity at that version.
 *
 * @returns the contradictions, human-readable
 */
export function disagreements(
  initial: Initial,
  entries: readonly Entry[],
  ledger: Ledger,
): string[] {
  return [...brokenChains(initial, ledger), ...misreported(initial, entries, ledger)];
}

function brokenChains(initial: Initial, { changes, pets: final }: Ledger): string[] {
  const found: string[] = [];
  const now = initial.pets.map((item) => ({ ...item }));
  let before = initial.version;
  for (const change of changes) {
    const version = Number(change.version);
    const item = now[Number(change.petId) - 1];
    const follows =
      item !== undefined &&
      version > before &&
      change.quantityBefore === item.quantity &&
      Number(change.previousVersion) === item.version;
    if (!follows) found.push(`change ${change.version} does not follow the previous change`);
    Object.assign(item ?? {}, { quantity: change.quantityAfter, version });
    before = version;
  }
  if (JSON.stringify(now) !== JSON.stringify(final)) {
    found.push(
      `the pets are ${JSON.stringify(final)}, but the history ends with ${JSON.stringify(now)}`,
    );
  }
  return found;
}

function misreported(initial: Initial, entries: readonly Entry[], { changes }: Ledger): string[] {
  const { steps, unexplained } = recorded(entries, changes, initial.others.count);
  const was = quantitiesByVersion(initial, changes);
  return [
    ...steps.flatMap((step) => misreportedStep(step, was)),
    ...unexplained.map(
      ({ requestId, version }) =>
        `made twice, or not requested: change ${version} of request ${requestId}`,
    ),
    ...outOfOrder(steps),
  ];
}

/** Quantities by `<pet> <version>`. */
type Quantities = ReadonlyMap<string, number | undefined>;

function quantitiesByVersion(
  { pets: first }: Initial,
  changes: readonly StockChange[],
): Quantities {
  return new Map([
    ...first.map(({ quantity, version }, at) => [`${at + 1} ${version}`, quantity] as const),
    ...changes.map(
      (change) => [`${change.petId} ${change.version}`, change.quantityAfter] as const,
    ),
  ]);
}

function misreportedStep(step: Step, was: Quantities): string[] {
  const { reference, outcome, made } = step;
  const text = `${reference}, ${JSON.stringify(outcome)}`;
  const found: string[] = [];
  for (const { pet, quantity, version } of itemsOf(step)) {
    if (was.get(`${pet} ${version}`) !== quantity)
      found.push(`received, but not in the history: ${text}`);
  }
  if (!isWrite(step)) return found;
  if (made === partlyMade) found.push(`made in part: ${text}`);
  if (isOpen(outcome)) return found;
  if (!isDone(outcome))
    return made === undefined ? found : [...found, `refused, but made: ${text}`];
  const last = itemsOf(step).at(-1)?.version ?? made;
  // Cancelling a cancelled order changes nothing, nor do some changes of holds.
  const isChange = step.op !== "cancel" && !isOfHold(step);
  if (made === undefined && isChange) found.push(`acknowledged, but not made: ${text}`);
  else if (made !== last)
    found.push(`made as version ${made}, but acknowledged as ${last}: ${text}`);
  return found;
}

/** The pets of an outcome, with their quantities and versions. */
function itemsOf({ pet, updates, outcome }: Step) {
  if (outcome.kind === "item") return [{ pet, ...outcome }];
  if (outcome.kind !== "items") return [];
  return outcome.items.map((item, index) => ({ pet: updates?.[index]?.pet, ...item }));
}

/** Finds changes out of order: requested after another change was acknowledged, but with a lower version. */
function outOfOrder(steps: readonly Step[]): string[] {
  const changes = steps.flatMap((step) =>
    step.made !== undefined && isDone(step.outcome) ? [{ ...step, version: step.made }] : [],
  );
  const byReturn = [...changes].sort((a, b) => a.return - b.return);
  const found: string[] = [];
  let returned = 0;
  let newest = 0;
  for (const { call, reference, version } of changes.sort((a, b) => a.call - b.call)) {
    for (; (byReturn[returned]?.return ?? call) < call; returned++) {
      newest = Math.max(newest, byReturn[returned]?.version ?? 0);
    }
    if (version < newest) {
      found.push(`version ${version} of ${reference} is lower than an earlier acknowledged one`);
    }
  }
  return found;
}
