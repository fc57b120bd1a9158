import { ConnectError } from "@connectrpc/connect";
import type { AdminService } from "../../../../gen/admin/v1/admin_pb.ts";
import { ErrorInfoSchema } from "../../../../gen/google/rpc/error_details_pb.ts";
import type { InventoryItem } from "../../../../gen/inventory/v1/inventory_pb.ts";
import type { LocalClient } from "../../../call/local-client.ts";
import { reasonOf } from "../../../contract/errors.ts";
import { CommandError } from "../../command-error.ts";
import { interrupted, withGracePeriod } from "../../interruption.ts";
import { toCommandError } from "../../session/field-sources.ts";
import type { Row } from "./import-file.ts";
import { newImport, type ResumePoint, resumeText } from "./resume-point.ts";

/** Largest number of items in one message. */
const batchSize = 500;

/** Messages per call. Bounds the duration of a call, so that it does not exceed a server's time limit. */
const batchesPerCall = 100;

/** The result of an import. */
export interface ImportCounts {
  /** Number of new pets. */
  readonly created: number;
  /** Number of pets that existed before. */
  readonly updated: number;
  /** Number of bad rows. */
  readonly skipped: number;
}

/** The service that receives the rows: in this process, or on a server. */
export interface ImportTarget {
  readonly admin: Pick<LocalClient<typeof AdminService>, "importInventory">;
}

/** Longest time that an interrupted import waits for the rows that are being sent, in milliseconds. */
const finishMs = 5_000;

/**
 * Imports the good rows in batches.
 *
 * @param bad number of bad rows that the check found
 * @param start where to start
 * @param signal stops the import after the batch that is being sent
 * @throws CommandError that says how many rows were imported and how to resume
 */
export async function putRows(
  { admin }: ImportTarget,
  rows: AsyncIterable<Row>,
  bad: number,
  { rows: resume, importId }: ResumePoint = newImport(),
  signal: AbortSignal = new AbortController().signal,
): Promise<ImportCounts> {
  const counts = { created: 0, updated: 0 };
  const reading: Reading = { skipped: 0, error: undefined };
  let imported = resume;
  let sent = resume;
  const batches = batchesOf(rows, bad, resume, reading);

  function message(items: InventoryItem[]) {
    // A resumed import sends the same rows with the same key.
    const idempotencyKey = `import-${importId}-${sent}`;
    sent += items.length;
    return { items, idempotencyKey };
  }

  /** The messages of one call, up to {@link batchesPerCall}. */
  async function* requests(first: InventoryItem[]) {
    yield message(first);
    for (let messages = 1; messages < batchesPerCall && !signal.aborted; messages++) {
      const next = await batches.next();
      if (next.done) return;
      yield message(next.value);
    }
  }

  function withResumeHint(error: unknown): unknown {
    if (!(error instanceof CommandError)) return error;
    const point = resumeText({ rows: imported, importId });
    return new CommandError(
      error.code,
      `${error.message} The first ${imported} good rows are imported. To import each other row once, run the command again within 24 hours, with --resume ${point}`,
      error.exitCode,
    );
  }

  function interruptedError(): unknown {
    const { created, updated } = counts;
    const message = `Interrupted: created ${created}, updated ${updated}.`;
    return withResumeHint(interrupted(signal, message));
  }

  for (let next = await batches.next(); !next.done; next = await batches.next()) {
    if (signal.aborted) throw interruptedError();
    try {
      const call = admin.importInventory(requests(next.value));
      const response = await withGracePeriod(call, signal, finishMs);
      imported += Number(response.rows);
      counts.created += Number(response.created);
      counts.updated += Number(response.updated);
    } catch (error) {
      if (signal.aborted && error === signal.reason) throw interruptedError();
      imported += appliedRows(error);
      throw withResumeHint(isKeyReused(error) ? wrongFileError() : toCommandError({}, error));
    }
  }
  if (reading.error !== undefined) throw withResumeHint(reading.error);
  return { ...counts, skipped: reading.skipped };
}

/** The state of reading a file. */
interface Reading {
  skipped: number;
  /** The error that stopped reading. The rows before it are imported all the same. */
  error: unknown;
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
          throw new CommandError("aborted", "The file changed while it was being read.");
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
    reading.error = error;
  }
}

/** Returns the number of rows that a call imported before it failed; 0 if the error does not have it. */
function appliedRows(error: unknown): number {
  if (!(error instanceof ConnectError)) return 0;
  const [info] = error.findDetails(ErrorInfoSchema);
  return Number(info?.metadata.appliedRows ?? 0);
}

/** Whether a batch was rejected because a batch with other rows has its idempotency key. */
function isKeyReused(error: unknown): boolean {
  return error instanceof ConnectError && reasonOf(error) === "IDEMPOTENCY_KEY_REUSED";
}

function wrongFileError(): CommandError {
  return new CommandError(
    "failed_precondition",
    "The rows differ from those of the import in --resume. Use the same, unchanged file.",
  );
}
