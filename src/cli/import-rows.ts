import { ConnectError } from "@connectrpc/connect";
import type { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import type { InventoryItem } from "../../gen/inventory/v1/inventory_pb.ts";
import type { LocalClient } from "../call/local-client.ts";
import { reasonOf } from "../errors.ts";
import { CommandError } from "./command-error.ts";
import { inTermsOf } from "./field-sources.ts";
import { finishing, interrupted } from "./interruption.ts";
import { newImport, type ResumePoint, resumeText } from "./resume-point.ts";
import type { Row } from "./rows.ts";

/** As many items as one message takes. */
const batchSize = 500;

/** Messages of one call: it ends before a server takes it for one that does not end. */
const batchesOfCall = 100;

/** What an import did. */
export interface ImportCounts {
  /** Pets that were new. */
  readonly created: number;
  /** Pets that were there before. */
  readonly updated: number;
  /** Bad rows. */
  readonly skipped: number;
}

/** Where an import goes: the service within the process, or one on the network. */
export interface ImportTarget {
  readonly admin: Pick<LocalClient<typeof AdminService>, "importInventory">;
}

/** How long an interrupted import waits for the rows that are being sent, in milliseconds. */
const finishMs = 5_000;

/**
 * Imports the good rows, a batch at a time.
 *
 * @param bad how many bad rows are known
 * @param start where to begin
 * @param signal interrupts the import after the batch that is being sent
 * @throws CommandError that says how much was imported before it
 */
export async function putRows(
  { admin }: ImportTarget,
  rows: AsyncIterable<Row>,
  bad: number,
  { rows: resume, importId }: ResumePoint = newImport(),
  signal: AbortSignal = new AbortController().signal,
): Promise<ImportCounts> {
  const counts = { created: 0, updated: 0 };
  const reading: Reading = { skipped: 0, fault: undefined };
  let imported = resume;
  let sent = resume;
  const batches = batchesOf(rows, bad, resume, reading);

  function message(items: InventoryItem[]) {
    // The same rows have the same key when the import is resumed.
    const idempotencyKey = `import-${importId}-${sent}`;
    sent += items.length;
    return { items, idempotencyKey };
  }

  /** What one call sends: it ends with the file, or after a number of messages. */
  async function* requests(first: InventoryItem[]) {
    yield message(first);
    for (let messages = 1; messages < batchesOfCall && !signal.aborted; messages++) {
      const next = await batches.next();
      if (next.done) return;
      yield message(next.value);
    }
  }

  function stopped(error: unknown): unknown {
    if (!(error instanceof CommandError)) return error;
    const point = resumeText({ rows: imported, importId });
    return new CommandError(
      error.code,
      `${error.message} The first ${imported} good rows are imported. To import the rest, repeat the command with --resume ${point}: within 24 hours this imports no row twice.`,
      error.exitCode,
    );
  }

  function stoppedBySignal(): unknown {
    const { created, updated } = counts;
    return stopped(interrupted(signal, `Interrupted: created ${created}, updated ${updated}.`));
  }

  for (let next = await batches.next(); !next.done; next = await batches.next()) {
    if (signal.aborted) throw stoppedBySignal();
    try {
      const call = admin.importInventory(requests(next.value));
      const answer = await finishing(call, signal, finishMs);
      imported += Number(answer.rows);
      counts.created += Number(answer.created);
      counts.updated += Number(answer.updated);
    } catch (error) {
      if (signal.aborted && error === signal.reason) throw stoppedBySignal();
      imported += rowsBefore(error);
      throw stopped(isOtherFile(error) ? otherFile() : inTermsOf({}, error));
    }
  }
  if (reading.fault !== undefined) throw stopped(reading.fault);
  return { ...counts, skipped: reading.skipped };
}

/** How far the reading of a file has come. */
interface Reading {
  skipped: number;
  /** What ended it early: the rows before it are imported all the same. */
  fault: unknown;
}

async function* batchesOf(
  rows: AsyncIterable<Row>,
  bad: number,
  resume: number,
  reading: Reading,
): AsyncGenerator<InventoryItem[]> {
  let items: InventoryItem[] = [];
  let left = resume;
  try {
    for await (const row of rows) {
      if ("fault" in row) {
        reading.skipped += 1;
        if (reading.skipped > bad) {
          throw new CommandError("aborted", "The file was changed while it was read.");
        }
      } else if (left > 0) left -= 1;
      else items.push(row.item);
      if (items.length === batchSize) {
        yield items;
        items = [];
      }
    }
    if (items.length > 0) yield items;
  } catch (error) {
    reading.fault = error;
  }
}

/** How many rows a call has imported before it failed, as far as its error tells. */
function rowsBefore(error: unknown): number {
  if (!(error instanceof ConnectError)) return 0;
  const [info] = error.findDetails(ErrorInfoSchema);
  return Number(info?.metadata.appliedRows ?? 0);
}

/** Whether an error says that a batch has the idempotency key of another batch with other rows. */
function isOtherFile(error: unknown): boolean {
  return error instanceof ConnectError && reasonOf(error) === "IDEMPOTENCY_KEY_REUSED";
}

function otherFile(): CommandError {
  return new CommandError(
    "failed_precondition",
    "The rows are not those of the import that --resume names: the file was changed, or is another one.",
  );
}
