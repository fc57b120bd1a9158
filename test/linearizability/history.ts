import { writeFileSync } from "node:fs";

/** The pets that all operations are about: so few that they meet. */
export const pets = [1, 2, 3] as const;

/** What a client asks for. The checker reads the same names (checker/history.go). */
export interface Operation {
  readonly op: "list" | "get" | "set" | "adjust";
  /** 0 for a list. */
  readonly pet: number;
  readonly quantity?: number;
  readonly delta?: number;
  readonly expectedVersion?: number;
  readonly expectedQuantity?: number;
}

/** What a client was told. */
export type Outcome =
  /** A pet as it was read, or is after its change. */
  | { readonly kind: "item"; readonly quantity: number; readonly version: number }
  /** The quantities of all pets at a version of the stock. */
  | { readonly kind: "list"; readonly version: number; readonly quantities: readonly number[] }
  | { readonly kind: "version_mismatch"; readonly version: number }
  | { readonly kind: "quantity_mismatch" | "too_small"; readonly quantity: number }
  /** No answer, or one that does not tell: the change may have been made, or still be. */
  | { readonly kind: "unknown"; readonly why: string };

/** An operation and what became of it. Times are nanoseconds of one monotonic clock. */
export interface Entry extends Operation {
  readonly client: number;
  readonly protocol: string;
  /** Names the operation in the service's own record of its changes. */
  readonly reference: string;
  /** How often it was sent. More than once only with an idempotency key. */
  readonly sent: number;
  readonly call: number;
  /** When the outcome was known; of an unknown one, when it was given up. */
  readonly return: number;
  readonly outcome: Outcome;
}

/** How the stock was before the first operation. */
export interface Initial {
  readonly version: number;
  readonly pets: readonly { readonly quantity: number; readonly version: number }[];
}

/** Whether an operation would change something. */
export function isWrite({ op }: Operation): boolean {
  return op === "set" || op === "adjust";
}

/** How many operations ended in which way: `adjust item` 812 and so on. */
export function tally(entries: readonly Entry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const entry of entries) {
    const conditional = entry.expectedVersion ?? entry.expectedQuantity;
    const name = conditional === undefined ? entry.op : `conditional ${entry.op}`;
    const result = entry.outcome.kind === "item" ? "done" : entry.outcome.kind;
    const key = entry.op === "list" || entry.op === "get" ? name : `${name} ${result}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).sort());
}

/** Writes a history as JSON lines: how the stock was, then the operations. */
export function writeHistory(path: string, initial: Initial, entries: readonly Entry[]): void {
  const lines = [initial, ...entries].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(path, lines.join(""));
}
