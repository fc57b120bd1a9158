import type { ChangeReason } from "../../../../../../gen/inventory/v1/inventory_pb.ts";
import { inventory } from "../../shared/api.ts";

/** A row of a list, with the stock as the user has seen it. */
export interface Booking {
  readonly petId: bigint;
  /** The units that have arrived, or were counted. */
  readonly units: number;
  readonly quantity: number;
  /** NaN until it is known. */
  readonly held: number;
}

/** What all rows of a list share. */
export interface Origin {
  readonly reason: ChangeReason;
  readonly note: string;
  readonly reference: string;
}

/** The headers of a call, and what it reports about its response. */
interface CallOptions {
  readonly headers: HeadersInit;
  onHeader(headers: Headers): void;
}

interface Mode {
  /** The text of the link to the page. */
  readonly link: string;
  readonly title: string;
  /** The title of the column of units. */
  readonly units: string;
  readonly submit: string;
  /** The least units of a row. */
  readonly least: number;
  readonly hasReason: boolean;
  /** Returns the units on hand that a booking must find; undefined if it is made in any case. */
  expected(row: Booking): number | undefined;
  /** Returns the units for sale after a booking; NaN while they depend on held units that are not known. */
  after(row: Booking): number;
  /** Books rows: all or none. */
  send(rows: readonly Booking[], origin: Origin, options: CallOptions): Promise<unknown>;
}

/** The part of the route. */
export type ModeName = "receive" | "count";

/** How a list can be booked. */
export const modes: Readonly<Record<ModeName, Mode>> = {
  receive: {
    link: "Receive",
    title: "Receive a delivery",
    units: "Units",
    submit: "Book in",
    least: -2_147_483_647,
    hasReason: true,
    expected: () => undefined,
    after: ({ quantity, units }) => quantity + units,
    send: (rows, origin, options) => {
      const adjustments = rows.map(({ petId, units }) => ({ petId, delta: units }));
      return inventory.batchAdjustInventory({ adjustments, ...origin }, options);
    },
  },
  count: {
    link: "Count",
    title: "Count the shelf",
    units: "Counted",
    submit: "Book the count of",
    least: 0,
    hasReason: false,
    expected: ({ quantity, held }) => quantity + held,
    after: ({ units, held }) => units - held,
    send: (rows, { note, reference }, options) => {
      const counts = rows.map(({ petId, units, quantity, held }) => ({
        petId,
        counted: units,
        expectedOnHand: quantity + held,
      }));
      return inventory.countInventory({ counts, note, reference }, options);
    },
  },
};

export const modeNames = Object.keys(modes) as ModeName[];

/** Whether a part of the route is a mode. */
export function isModeName(text: string | undefined): text is ModeName {
  return text !== undefined && Object.hasOwn(modes, text);
}

/** Books the opposite of rows, which the history has beside them. */
export async function bookBack(
  mode: Mode,
  rows: readonly Booking[],
  { reference }: Origin,
  idempotencyKey: string,
): Promise<void> {
  const adjustments = rows.flatMap((row) => {
    const delta = row.quantity - mode.after(row);
    return delta === 0 ? [] : [{ petId: row.petId, delta }];
  });
  if (adjustments.length === 0) return;
  await inventory.batchAdjustInventory({ adjustments, note: "Undo", reference, idempotencyKey });
}
