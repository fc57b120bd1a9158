import { type Client, ConnectError } from "@connectrpc/connect";
import type { CatalogService } from "../../../../gen/catalog/v1/catalog_pb.ts";
import { BadRequestSchema, ErrorInfoSchema } from "../../../../gen/google/rpc/error_details_pb.ts";
import { reasonOf } from "../../../contract/errors.ts";
import { CommandError } from "../../command-error.ts";
import { interrupted, withGracePeriod } from "../../interruption.ts";
import { toCommandError } from "../../session/service-error.ts";
import { type BatchQueue, createBatchQueue, type SentRow, wrongFileError } from "./batches.ts";
import { jsonNames, type Row } from "./import-file.ts";
import { newImport, type ResumePoint, resumeText } from "./resume-point.ts";

/** The service that receives the rows: in this process, or on a server. */
export interface ImportTarget {
  readonly catalog: Pick<Client<typeof CatalogService>, "importPets">;
}

/** Longest time that an interrupted import waits for the rows that are being sent, in milliseconds. */
const finishMs = 5_000;

interface ImportSettings {
  /** Number of bad rows that the check found. */
  readonly bad: number;
  /** Where to start; at the first row if absent. */
  readonly start?: ResumePoint | undefined;
  /** Stops the import after the batch that is being sent. */
  readonly signal?: AbortSignal;
  /** What the number of a row counts. */
  readonly unit?: string;
  /** Called for each row that the service refuses, which is then skipped. If absent, such a row ends the import. */
  readonly onRefused?: ((fault: string) => Promise<void>) | undefined;
}

/** Sends the good rows in batches. @throws CommandError that names a refused row, and says how to resume */
export async function sendRows(
  { catalog }: ImportTarget,
  rows: AsyncIterable<Row>,
  settings: ImportSettings,
) {
  const { bad, start = newImport(), signal = new AbortController().signal } = settings;
  const { unit = "line", onRefused } = settings;
  const queue = createBatchQueue(rows, bad, start);
  /** Pets that did not exist before, and others. */
  const counts = { created: 0, updated: 0 };

  function count({ appliedRows = 0, created = 0, updated = 0 }: Applied): void {
    counts.created += Number(created);
    counts.updated += Number(updated);
    queue.shift(Number(appliedRows));
  }

  function interruptedError(): unknown {
    const { created, updated } = counts;
    const message = `Interrupted: created ${created}, updated ${updated}.`;
    return withResumeHint(interrupted(signal, message), queue);
  }

  while (await queue.hasNext()) {
    if (signal.aborted) throw interruptedError();
    try {
      const call = catalog.importPets(queue.requests(signal));
      const { rows: appliedRows, created, updated } = await withGracePeriod(call, signal, finishMs);
      count({ appliedRows, created, updated });
    } catch (error) {
      if (signal.aborted && error === signal.reason) throw interruptedError();
      // What the call imported before it failed.
      const [info] = error instanceof ConnectError ? error.findDetails(ErrorInfoSchema) : [];
      count(info?.metadata ?? {});
      const faults = refusedRows(error, queue.sent(), unit);
      if (!onRefused || faults.size === 0) throw failure(error, [...faults.values()], queue);
      for (const fault of faults.values()) await onRefused(fault);
      queue.refuse(faults.keys());
    }
  }
  if (queue.readError() !== undefined) throw withResumeHint(queue.readError(), queue);
  return { ...counts, skipped: queue.skipped() };
}

type Applied = Partial<Record<"appliedRows" | "created" | "updated", string | number | bigint>>;

/** Returns the error of an import. @param faults what is wrong with rows that the service has refused */
function failure(error: unknown, faults: readonly string[], queue: BatchQueue): unknown {
  // A batch with other rows has the idempotency key of this one.
  if (error instanceof ConnectError && reasonOf(error) === "IDEMPOTENCY_KEY_REUSED") {
    return withResumeHint(wrongFileError(queue.point().rows), queue);
  }
  const known = toCommandError({}, error);
  if (faults.length === 0 || !(known instanceof CommandError)) return withResumeHint(known, queue);
  const advice = " Correct the file, or skip such rows with --skip-bad.";
  return withResumeHint(known.withMessage(faults.join("; ")), queue, advice);
}

/** Adds how many rows were imported, and how to import the others. Returns errors that are bugs as they are. */
function withResumeHint(error: unknown, queue: BatchQueue, advice = ""): unknown {
  if (!(error instanceof CommandError)) return error;
  const point = queue.point();
  return error.withMessage(
    `${error.message.replace(/(?<![.!?])$/, ".")} ${importedText(point.rows, error.code)}${advice} To import each other row once, run the command again within 24 hours, with --resume ${resumeText(point)}`,
  );
}

/** @param code that of the error */
function importedText(imported: number, code: string): string {
  // The response to the next rows was lost.
  const mayBeMore = code === "unavailable";
  if (imported > 0) {
    const rows = imported === 1 ? "good row is" : `${imported} good rows are`;
    return `${mayBeMore ? "At least the" : "The"} first ${rows} imported.`;
  }
  return mayBeMore ? "The first rows may have been imported." : "No row is imported.";
}

/** Returns what is wrong with rows that the service has refused, by their indexes in their batch. @param sent the rows */
function refusedRows(
  error: unknown,
  sent: readonly SentRow[],
  unit: string,
): ReadonlyMap<number, string> {
  const details = error instanceof ConnectError ? error.findDetails(BadRequestSchema) : [];
  const faults = new Map<number, string>();
  for (const { field, description } of details.flatMap((detail) => detail.fieldViolations)) {
    const [, index, name = ""] = /^pets\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
    const row = index === undefined ? undefined : sent[Number(index)];
    if (!row) continue;
    const fault = [`${unit} ${row.line}`, jsonNames.get(name) ?? name, description];
    faults.set(row.index, fault.filter((part) => part !== "").join(": "));
  }
  return faults;
}
