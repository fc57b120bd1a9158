import { writeFileSync } from "node:fs";

/** The pets of all operations: so few that concurrent operations conflict. */
export const pets = [1, 2, 3] as const;

/**
 * Pets that only imports change, all in one message. Together with {@link pets}, they make the largest message. Only
 * some services have them.
 */
export const otherIds: readonly bigint[] = Array.from({ length: 497 }, (_, at) => BigInt(at + 4));

/**
 * Sets the quantity of one of several pets. In a transfer, it is the amount to add, and in a count, what was counted. Only an
 * update of a batch, a transfer or a count has conditions; the expected quantity of a count is what is on hand.
 */
export interface Update {
  readonly pet: number;
  readonly quantity: number;
  readonly expectedVersion?: number;
  readonly expectedQuantity?: number;
}

export interface ImportMessage {
  readonly updates: readonly Update[];
  /** The quantity of all other pets, which follow the first update; undefined if the message does not have them. */
  readonly others?: number;
}

/** An order of the account that all clients share. */
export interface Order {
  readonly orderId: number;
  readonly pet: number;
  readonly quantity: number;
}

/** Operations on holds: putting, confirming, releasing and reading one. */
type HoldOp = "hold" | "confirm" | "release" | "look";

/** An operation that a client requests. The checker reads the same names (checker/history.go). */
export interface Operation {
  readonly op:
    | "list"
    | "get"
    | "set"
    | "adjust"
    | "batch"
    | "transfer"
    | "count"
    | "import"
    | "place"
    | "cancel"
    | HoldOp;
  /** The pet id; 0 for an operation on several pets. */
  readonly pet: number;
  readonly quantity?: number;
  readonly delta?: number;
  readonly expectedVersion?: number;
  readonly expectedQuantity?: number;
  /** The number of a hold, from 1. */
  readonly hold?: number;
  /** The updates of a batch, a transfer or a count, or the items of a hold. */
  readonly updates?: readonly Update[];
  readonly messages?: readonly ImportMessage[];
  /** The order of a cancellation, whose pet and quantity are those of the order. */
  readonly orderId?: number;
}

/** A pet's quantity and version. */
export interface Item {
  readonly quantity: number;
  readonly version: number;
}

/** Why one update of a batch or a transfer, or one item of a hold, was refused. */
export type UpdateRefusal = { readonly index: number } & (
  | { readonly kind: "version_mismatch"; readonly version: number }
  | { readonly kind: "quantity_mismatch" | "too_small" | "below_held"; readonly quantity: number }
);

/** The result of an operation, as its client received it. */
export type Outcome =
  /** A pet as read, or after its change. */
  | ({ readonly kind: "item" } & Item)
  /** The pets after a batch or a transfer, in the order of its updates. */
  | { readonly kind: "items"; readonly items: readonly Item[] }
  /** The quantities of all pets at a version of the stock. The quantity of the other pets is -1 if they differ. */
  | {
      readonly kind: "list";
      readonly version: number;
      readonly quantities: readonly number[];
      readonly others: number;
    }
  | { readonly kind: "imported" }
  | ({ readonly kind: "placed" | "cancelled" } & Order)
  /** A hold after the operation: pet and quantity of each item, and the number of its orders. */
  | {
      readonly kind: "held";
      readonly state: string;
      readonly held: readonly (readonly [pet: number, quantity: number])[];
      readonly orders: number;
    }
  | { readonly kind: "hold_ended" | "no_hold" }
  | { readonly kind: "version_mismatch"; readonly version: number }
  | { readonly kind: "quantity_mismatch" | "too_small"; readonly quantity: number }
  | { readonly kind: "batch_refused"; readonly refusals: readonly UpdateRefusal[] }
  /** No response, or one that leaves the outcome open: the change may have been made, or may still be made. */
  | { readonly kind: "unknown"; readonly why: string }
  /** The server reported that the deadline has passed. It sends no change to Redis after that. */
  | {
      readonly kind: "expired";
      /** Number of pets in the messages of an import that were applied before. */
      readonly rows: number;
    };

/** The parts of a request in addition to its operation. */
export interface Marks {
  /** Also sent as the request id. */
  readonly reference: string;
  /** Empty if the request has none. */
  readonly idempotencyKey: string;
  /** Timeout for the server, in ms; undefined for none. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Sends one request.
 *
 * @throws Error if the operation cannot have the response
 */
export type StockClient = (operation: Operation, marks: Marks) => Promise<Outcome>;

/** An operation and its outcome. Times are nanoseconds of one monotonic clock. */
export interface Entry extends Operation {
  readonly client: number;
  readonly protocol: string;
  /** The request id of the changes of the operation in the service's history. */
  readonly reference: string;
  /** Number of attempts. More than 1 only if the operation is idempotent. */
  readonly sent: number;
  readonly call: number;
  /** When the outcome was known, or when the client gave up. */
  readonly return: number;
  /**
   * When a read through the same server after an expired operation returned. The server sends commands to Redis over
   * one connection, so the change was made before that read, or never. Undefined without such a read.
   */
  readonly settled?: number;
  readonly outcome: Outcome;
}

/** The stock before the first operation. */
export interface Initial {
  readonly version: number;
  readonly pets: readonly Item[];
  /** The number of other pets, and the quantity of each. */
  readonly others: { readonly count: number; readonly quantity: number };
}

export function isWrite({ op }: Pick<Operation, "op">): boolean {
  return op !== "list" && op !== "get" && op !== "look";
}

/** Returns true if an operation changes as many pets as the state of its hold requires. */
export function isOfHold({ op }: Pick<Operation, "op">): boolean {
  return op === "hold" || op === "confirm" || op === "release";
}

/** Returns true if the outcome does not show whether the operation was made. */
export function isOpen({ kind }: Outcome): boolean {
  return kind === "unknown" || kind === "expired";
}

/** Outcomes of a change that was made. */
const done: readonly string[] = ["item", "items", "imported", "placed", "cancelled", "held"];

/** Returns true if a change was acknowledged. */
function isDone({ kind }: Outcome): boolean {
  return done.includes(kind);
}

/** Counts operations by kind and outcome, such as `adjust done`: 812. */
export function tally(entries: readonly Entry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const entry of entries) {
    const conditional = entry.expectedVersion ?? entry.expectedQuantity;
    const name = conditional === undefined ? entry.op : `conditional ${entry.op}`;
    const result = isDone(entry.outcome) ? "done" : entry.outcome.kind;
    const key = isWrite(entry) ? `${name} ${result}` : name;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).sort());
}

/** Writes a history as JSON lines: the initial stock, then the operations. */
export function writeHistory(path: string, initial: Initial, steps: readonly object[]): void {
  const lines = [initial, ...steps].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(path, lines.join(""));
}
