import { hash, randomUUID } from "node:crypto";
import type { CallOptions } from "@connectrpc/connect";
import type { VersionedItem } from "../../../gen/inventory/v1/inventory_pb.ts";
import { append } from "../../common/append.ts";
import { withKeySeries } from "../../common/key-series.ts";
import { CommandError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { plural, printResult } from "../output/output.ts";
import { print } from "../output/terminal.ts";
import type { Session } from "../session/clients.ts";
import { listResult } from "../session/kinds.ts";
import { required, withSession } from "../session/session.ts";
import { whenAdmitted } from "../session/when-admitted.ts";
import { kind, type ReasonOptions, reasonFields } from "./items.ts";
import { readRows, type UnitColumn, type UnitRow } from "./unit-rows.ts";

/** The most rows of one request. */
const rowsAtOnce = 1_000;

interface FileOptions {
  readonly file?: string;
}

/** Sends some rows. Returns the pets after the change. */
type Send = (
  session: Session,
  rows: readonly UnitRow[],
  options: CallOptions,
) => Promise<{ readonly items: VersionedItem[] }>;

/**
 * Adds the rows of a delivery to the stock, 1,000 at a time. Each request has an idempotency key that is made from what it
 * changes and why, so the same delivery changes nothing when it is sent again within 24 hours. A refused one can be sent again.
 *
 * @throws CommandError that names the rows that fail
 */
export async function receiveItems(
  environment: Environment,
  texts: readonly string[],
  { file, ...reason }: FileOptions & ReasonOptions,
): Promise<void> {
  const fields = reasonFields(reason);
  await sendRows(environment, ["delta", texts, file], ({ inventory }, rows, options) => {
    const adjustments = rows.map(({ petId, units }) => ({ petId, delta: units }));
    const made = JSON.stringify([fields, rows.map(({ petId, units }) => [`${petId}`, units])]);
    return withKeySeries(`receive-${hash("sha256", made, "base64url")}`, (idempotencyKey) =>
      inventory.batchAdjustInventory({ adjustments, ...fields, idempotencyKey }, options),
    );
  });
}

/** Records counted units, 1,000 pets at a time. @throws CommandError that names the rows that fail */
export async function countItems(
  environment: Environment,
  texts: readonly string[],
  { file, note = "", reference = "" }: FileOptions & Omit<ReasonOptions, "reason">,
): Promise<void> {
  await sendRows(environment, ["counted", texts, file], ({ inventory }, rows, options) =>
    inventory.countInventory(
      {
        counts: rows.map(({ petId, units }) => ({ petId, counted: units })),
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
  [column, texts, file]: readonly [UnitColumn, readonly string[], string | undefined],
  send: Send,
): Promise<void> {
  const rows = await readRows(environment, column, texts, file);
  let first = 0;
  // Errors name rows by their places in the request.
  const sourceOf = (field: string) => {
    const [, index, member] = /^\w+\[(\d+)\]\.(\w+)$/.exec(field) ?? [];
    const row = index === undefined ? undefined : rows[first + Number(index)];
    return row && member ? row.source : (environment.sourceOf?.(field) ?? field);
  };
  const printed: VersionedItem[] = [];
  let repeated = 0;
  try {
    await withSession(
      Object.create(environment, { sourceOf: { value: sourceOf } }),
      async (session: Session) => {
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
      },
    );
  } catch (error) {
    if (!(error instanceof CommandError) || first === 0) throw error;
    const { code, message, exitCode, request } = error;
    const done = `The first ${first} rows, by pet id, are in the stock.`;
    throw new CommandError(
      code,
      `${message.replace(/(?<![.!?])$/, ".")} ${done}`,
      exitCode,
      request,
    );
  }
  if (repeated > 0 && !environment.jsonErrors) {
    print(environment.stderr, `sent before, so nothing was changed: ${plural(repeated, "row")}\n`);
  }
  await printResult(
    environment,
    listResult(
      kind,
      printed.map(({ item }) => required(item)),
    ),
  );
}
