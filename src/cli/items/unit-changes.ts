import { hash, randomUUID } from "node:crypto";
import type { CallOptions } from "@connectrpc/connect";
import type { VersionedItem } from "../../../gen/inventory/v1/inventory_pb.ts";
import { append } from "../../common/append.ts";
import { withKeySeries } from "../../common/key-series.ts";
import { CommandError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { plural, printResult, type Result } from "../output/output.ts";
import { print } from "../output/terminal.ts";
import type { Session } from "../session/clients.ts";
import { entriesFor, listResult } from "../session/kinds.ts";
import { noEntries } from "../session/pets.ts";
import { required, withSession } from "../session/session.ts";
import { whenAdmitted } from "../session/when-admitted.ts";
import { kind, type ReasonOptions, reasonFields } from "./items.ts";
import {
  type RowSources,
  readRows,
  type UnitColumn,
  type UnitRow,
  withPetIds,
} from "./unit-rows.ts";

const rowsAtOnce = 1_000;

interface RowOptions extends Omit<RowSources, "texts"> {
  readonly note?: string;
  readonly reference?: string;
}

/** Sends some rows. Returns the pets after the change. */
type Send = (
  session: Session,
  rows: readonly UnitRow[],
  options: CallOptions,
) => Promise<{ readonly items: VersionedItem[] }>;

/**
 * Adds the rows of a delivery to the stock, 1,000 at a time. Sent again within 24 hours, it changes nothing, unless it was
 * refused.
 *
 * @throws CommandError that names the rows that fail
 */
export async function receiveItems(
  environment: Environment,
  texts: readonly string[],
  { file, sku, ...reason }: RowOptions & ReasonOptions,
): Promise<void> {
  const fields = reasonFields(reason);
  await sendRows(environment, "delta", { texts, sku, file }, ({ inventory }, rows, options) => {
    const adjustments = rows.map(({ pet, units }) => ({ petId: pet, delta: units }));
    const made = JSON.stringify([fields, rows.map(({ pet, units }) => [`${pet}`, units])]);
    return withKeySeries(`receive-${hash("sha256", made, "base64url")}`, (idempotencyKey) =>
      inventory.batchAdjustInventory({ adjustments, ...fields, idempotencyKey }, options),
    );
  });
}

/** Records counted units, 1,000 pets at a time. Repeated, it takes effect again. @throws CommandError that names failing rows */
export async function countItems(
  environment: Environment,
  texts: readonly string[],
  { file, sku, note = "", reference = "" }: RowOptions,
): Promise<void> {
  await sendRows(environment, "counted", { texts, sku, file }, ({ inventory }, rows, options) =>
    inventory.countInventory(
      {
        counts: rows.map(({ pet, units }) => ({ petId: pet, counted: units })),
        ...{ note, reference },
        // An account whose write policy is strict needs it.
        idempotencyKey: randomUUID(),
      },
      options,
    ),
  );
}

/** Reads rows, sends them, and prints the pets after the change. */
async function sendRows(
  environment: Environment,
  column: UnitColumn,
  sources: RowSources,
  send: Send,
): Promise<void> {
  const read = await readRows(environment, column, sources);
  let rows: readonly UnitRow[] = [];
  let first = 0;
  // Errors name rows by their places in the request.
  const sourceOf = (field: string) => {
    const [, index, member] = /^\w+\[(\d+)\]\.(\w+)$/.exec(field) ?? [];
    const row = index === undefined ? undefined : rows[first + Number(index)];
    return row && member ? row.source : (environment.sourceOf?.(field) ?? field);
  };
  const printed: VersionedItem[] = [];
  let repeated = 0;
  let result: Result;
  try {
    result = await withSession(
      Object.create(environment, { sourceOf: { value: sourceOf } }),
      async (session: Session) => {
        rows = await whenAdmitted(environment, () => withPetIds(session, read));
        for (; first < rows.length; first += rowsAtOnce) {
          const some = rows.slice(first, first + rowsAtOnce);
          const onHeader = (headers: Headers) => {
            if (headers.get("idempotency-replayed") === "true") repeated += some.length;
          };
          const { items } = await whenAdmitted(environment, () =>
            send(session, some, { onHeader }),
          );
          append(printed, items);
        }
        const items = printed.map(({ item }) => required(item));
        const entries = await entriesFor(session, environment, kind, items).catch(noEntries);
        return listResult(kind, items, entries);
      },
    );
  } catch (error) {
    if (!(error instanceof CommandError) || first === 0) throw error;
    const done = `The first ${first} rows, by pet id, are in the stock.`;
    throw error.withMessage(`${error.message.replace(/(?<![.!?])$/, ".")} ${done}`);
  }
  if (repeated > 0 && !environment.jsonErrors) {
    print(environment.stderr, `sent before, so nothing was changed: ${plural(repeated, "row")}\n`);
  }
  await printResult(environment, result);
}
