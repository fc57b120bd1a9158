import type { InventoryStore } from "../../src/inventory/inventory-store.ts";
import type { StockChange } from "../../src/inventory/stock-change.ts";
import { type Entry, type Initial, isWrite, pets } from "./history.ts";

/** What the service has recorded of itself. */
export interface Ledger {
  /** Every change since the first operation, oldest first. */
  readonly changes: readonly StockChange[];
  /** How each pet is at the end. */
  readonly pets: readonly { readonly quantity: number; readonly version: number }[];
}

/** Reads all changes after a version. */
export async function readLedger(inventory: InventoryStore, version: number): Promise<Ledger> {
  const changes: StockChange[] = [];
  for (;;) {
    const from = changes.at(-1)?.version ?? BigInt(version);
    const page = await inventory.changesSince(from, 5_000);
    if (page === undefined) throw new Error("some of the history was forgotten");
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
 * Holds what clients were told against what the service has recorded: what was acknowledged is there
 * exactly once, what was refused is not there, what is unknown is there at most once; the changes of
 * each pet are a chain without a gap that ends at what the pet is; no change comes before one that was
 * acknowledged before it was asked for; and a pet that a client was told of was so at that version.
 *
 * @returns what does not agree, in words; empty when all does
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
    if (!follows) found.push(`change ${change.version} does not follow on the one before`);
    Object.assign(item ?? {}, { quantity: change.quantityAfter, version });
    before = version;
  }
  if (JSON.stringify(now) !== JSON.stringify(final)) {
    found.push(`the pets are ${JSON.stringify(final)}, by their history ${JSON.stringify(now)}`);
  }
  return found;
}

function misreported(initial: Initial, entries: readonly Entry[], { changes }: Ledger): string[] {
  const found: string[] = [];
  const made = Map.groupBy(changes, ({ reference }) => reference);
  /** `<pet> <version>` to quantity. */
  const was = new Map<string, number>();
  for (const [index, { quantity, version }] of initial.pets.entries()) {
    was.set(`${index + 1} ${version}`, quantity);
  }
  for (const { petId, version, quantityAfter = -1 } of changes) {
    was.set(`${petId} ${version}`, quantityAfter);
  }
  for (const entry of entries) {
    const { reference, pet, outcome } = entry;
    const times = made.get(reference) ?? [];
    const [change] = times;
    made.delete(reference);
    const told = `${reference}, ${JSON.stringify(outcome)}`;
    if (outcome.kind === "item" && was.get(`${pet} ${outcome.version}`) !== outcome.quantity) {
      found.push(`never was: ${told}`);
    }
    if (!isWrite(entry)) continue;
    if (outcome.kind === "unknown") {
      if (times.length > 1) found.push(`${times.length} times: ${told}`);
    } else if (outcome.kind !== "item") {
      if (times.length > 0) found.push(`refused, and done: ${told}`);
    } else if (times.length !== 1) {
      found.push(`acknowledged, and done ${times.length} times: ${told}`);
    } else if (Number(change?.version) !== outcome.version) {
      found.push(`done as version ${change?.version}: ${told}`);
    }
  }
  for (const reference of made.keys()) found.push(`asked by nobody: ${reference}`);
  return [...found, ...outOfOrder(entries)];
}

/** Acknowledged changes whose versions are not in the order in which they came after each other. */
function outOfOrder(entries: readonly Entry[]): string[] {
  const changes = entries.flatMap((entry) =>
    isWrite(entry) && entry.outcome.kind === "item"
      ? [{ ...entry, version: entry.outcome.version }]
      : [],
  );
  const byReturn = [...changes].sort((a, b) => a.return - b.return);
  const found: string[] = [];
  let returned = 0;
  let newest = 0;
  for (const { call, reference, version } of changes.sort((a, b) => a.call - b.call)) {
    for (; (byReturn[returned]?.return ?? call) < call; returned++) {
      newest = Math.max(newest, byReturn[returned]?.version ?? 0);
    }
    if (version < newest) found.push(`before what came before it: ${reference}, ${version}`);
  }
  return found;
}
