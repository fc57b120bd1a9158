import { createHash } from "node:crypto";
import { toBinary } from "@bufbuild/protobuf";
import { type Client, ConnectError } from "@connectrpc/connect";
import type { AdminService } from "../../../../gen/admin/v1/admin_pb.ts";
import { BadRequestSchema, ErrorInfoSchema } from "../../../../gen/google/rpc/error_details_pb.ts";
import {
  type InventoryItem,
  InventoryItemSchema,
} from "../../../../gen/inventory/v1/inventory_pb.ts";
import { reasonOf } from "../../../contract/errors.ts";
import { CommandError } from "../../command-error.ts";
import { interrupted, withGracePeriod } from "../../interruption.ts";
import { toCommandError } from "../../session/service-error.ts";
import { jsonNames, type Row } from "./import-file.ts";
import { newImport, type RefusedRows, type ResumePoint, resumeText } from "./resume-point.ts";

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
  readonly admin: Pick<Client<typeof AdminService>, "importInventory">;
}

/** Longest time that an interrupted import waits for the rows that are being sent, in milliseconds. */
const finishMs = 5_000;

/** How rows are imported. */
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

/** Rows that are sent as one message. */
interface Batch {
  /** Number of good rows before them. */
  readonly start: number;
  /** Good rows, including the refused ones. */
  readonly rows: readonly GoodRow[];
  /** The refused rows: bit n is row n. */
  refused: bigint;
}

interface GoodRow {
  readonly line: number;
  readonly item: InventoryItem;
}

/** Returns the rows of a batch that are not refused, with their indexes in the batch. */
function sentRows({ rows, refused }: Batch): readonly (GoodRow & { readonly index: number })[] {
  return rows
    .map((row, index) => ({ ...row, index }))
    .filter(({ index }) => !hasBit(refused, index));
}

function refusedOf({ rows, refused: bits }: Batch): RefusedRows | undefined {
  if (bits === 0n) return undefined;
  const digest = createHash("sha256");
  for (const [index, { item }] of rows.entries()) {
    if (hasBit(bits, index)) digest.update(toBinary(InventoryItemSchema, item));
  }
  return { bits, digest: digest.digest("hex").slice(0, 8) };
}

function hasBit(bits: bigint, index: number): boolean {
  return ((bits >> BigInt(index)) & 1n) === 1n;
}

/**
 * Imports the good rows in batches.
 *
 * @throws CommandError that names a refused row, and says how many rows were imported and how to resume
 */
export async function putRows(
  { admin }: ImportTarget,
  rows: AsyncIterable<Row>,
  {
    bad,
    start = newImport(),
    signal = new AbortController().signal,
    unit = "line",
    onRefused,
  }: ImportSettings,
): Promise<ImportCounts> {
  const counts = { created: 0, updated: 0 };
  const reading: Reading = { skipped: 0, error: undefined };
  const { importId } = start;
  const batches = batchesOf(rows, bad, start, reading);
  /** Batches that have not been applied. */
  const queue: Batch[] = [];
  let imported = start.rows;
  let refused = 0;
  let pulling: Promise<void> | undefined;

  /** Reads another batch into the queue, unless there is none. A call that has failed can still be waiting for one. */
  function pull(): Promise<void> {
    pulling ??= batches.next().then((next) => {
      if (!next.done) queue.push(next.value);
      pulling = undefined;
    });
    return pulling;
  }

  /** The messages of one call, up to {@link batchesPerCall}. */
  async function* requests() {
    for (let at = 0; at < batchesPerCall && (at === 0 || !signal.aborted); at++) {
      if (at >= queue.length) await pull();
      const batch = queue[at];
      if (!batch) return;
      // A resumed import sends the same rows with the same key. Without other rows, a batch has another key.
      const without = batch.refused === 0n ? "" : `-${batch.refused.toString(16)}`;
      const idempotencyKey = `import-${importId}-${batch.start}${without}`;
      yield { items: sentRows(batch).map(({ item }) => item), idempotencyKey };
    }
  }

  function take({ rows: applied, created, updated }: Applied): void {
    counts.created += created;
    counts.updated += updated;
    let left = applied;
    for (let [first] = queue; first; [first] = queue) {
      const sent = sentRows(first).length;
      if (left < sent) break;
      left -= sent;
      imported += first.rows.length;
      refused += first.rows.length - sent;
      queue.shift();
    }
  }

  /** Removes refused rows from the batch that was refused. @returns whether there are any */
  async function skip(error: unknown): Promise<boolean> {
    const [batch] = queue;
    const faults = refusedRows(error, batch, unit);
    if (!batch || !onRefused || faults.size === 0) return false;
    for (const fault of faults.values()) await onRefused(fault);
    for (const index of faults.keys()) batch.refused |= 1n << BigInt(index);
    // A batch without rows is not sent.
    take({ rows: 0, created: 0, updated: 0 });
    return true;
  }

  function withResumeHint(error: unknown, advice = ""): unknown {
    if (!(error instanceof CommandError)) return error;
    const point = resumeText({
      rows: imported,
      importId,
      refused: queue[0] && refusedOf(queue[0]),
    });
    return new CommandError(
      error.code,
      `${error.message.replace(/(?<![.!?])$/, ".")} ${importedText(imported, error.code === "unavailable")}${advice} To import each other row once, run the command again within 24 hours, with --resume ${point}`,
      error.exitCode,
      error.request,
    );
  }

  function interruptedError(): unknown {
    const { created, updated } = counts;
    const message = `Interrupted: created ${created}, updated ${updated}.`;
    return withResumeHint(interrupted(signal, message));
  }

  function failure(error: unknown): unknown {
    if (isKeyReused(error)) return withResumeHint(wrongFileError(imported));
    const faults = [...refusedRows(error, queue[0], unit).values()];
    const known = toCommandError({}, error);
    if (faults.length === 0 || !(known instanceof CommandError)) return withResumeHint(known);
    const { code, exitCode, request } = known;
    return withResumeHint(
      new CommandError(code, faults.join("; "), exitCode, request),
      " Correct the file, or skip such rows with --skip-bad.",
    );
  }

  for (;;) {
    if (queue.length === 0) await pull();
    if (queue.length === 0) break;
    if (signal.aborted) throw interruptedError();
    try {
      const response = await withGracePeriod(admin.importInventory(requests()), signal, finishMs);
      take({
        rows: Number(response.rows),
        created: Number(response.created),
        updated: Number(response.updated),
      });
    } catch (error) {
      if (signal.aborted && error === signal.reason) throw interruptedError();
      take(appliedBefore(error));
      if (!(await skip(error))) throw failure(error);
    }
  }
  if (reading.error !== undefined) throw withResumeHint(reading.error);
  return { ...counts, skipped: reading.skipped + refused };
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
  { rows: resume, refused }: ResumePoint,
  reading: Reading,
): AsyncGenerator<Batch> {
  let batch: GoodRow[] = [];
  let start = resume;
  let left = resume;
  const take = (): Batch => {
    const isFirst = start === resume;
    const made = { start, rows: batch, refused: (isFirst && refused?.bits) || 0n };
    if (isFirst && refusedOf(made)?.digest !== refused?.digest) throw wrongFileError(resume);
    start += batch.length;
    batch = [];
    return made;
  };
  try {
    for await (const row of rows) {
      if ("fault" in row) {
        reading.skipped += 1;
        if (reading.skipped > bad) {
          throw new CommandError("aborted", "The file changed while it was being read.");
        }
      } else if (left > 0) left -= 1;
      else batch.push(row);
      if (batch.length === batchSize) yield take();
    }
    if (batch.length > 0) yield take();
  } catch (error) {
    reading.error = error;
  }
}

/** What messages have changed. */
interface Applied {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
}

/** Returns what a call imported before it failed; nothing if the error does not have it. */
function appliedBefore(error: unknown): Applied {
  const [info] = error instanceof ConnectError ? error.findDetails(ErrorInfoSchema) : [];
  const { appliedRows: rows = 0, created = 0, updated = 0 } = info?.metadata ?? {};
  return { rows: Number(rows), created: Number(created), updated: Number(updated) };
}

/** @param mayBeMore whether the response to the next rows was lost */
function importedText(imported: number, mayBeMore: boolean): string {
  if (imported > 0) {
    const rows = imported === 1 ? "good row is" : `${imported} good rows are`;
    return `${mayBeMore ? "At least the" : "The"} first ${rows} imported.`;
  }
  return mayBeMore ? "The first rows may have been imported." : "No row is imported.";
}

/** Returns what is wrong with rows of a batch that the service has refused, by their indexes in the batch. */
function refusedRows(
  error: unknown,
  batch: Batch | undefined,
  unit: string,
): ReadonlyMap<number, string> {
  const details = error instanceof ConnectError ? error.findDetails(BadRequestSchema) : [];
  const faults = new Map<number, string>();
  const sent = batch ? sentRows(batch) : [];
  for (const { field, description } of details.flatMap((detail) => detail.fieldViolations)) {
    const [, index, name = ""] = /^items\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
    const row = index === undefined ? undefined : sent[Number(index)];
    if (!row) continue;
    const fault = [`${unit} ${row.line}`, jsonNames.get(name) ?? name, description];
    faults.set(row.index, fault.filter((part) => part !== "").join(": "));
  }
  return faults;
}

/** Whether a batch was rejected because a batch with other rows has its idempotency key. */
function isKeyReused(error: unknown): boolean {
  return error instanceof ConnectError && reasonOf(error) === "IDEMPOTENCY_KEY_REUSED";
}

function wrongFileError(imported: number): CommandError {
  return new CommandError(
    "failed_precondition",
    `The rows differ from those of the import in --resume. Use the same, unchanged file, or --resume ${imported} to import all rows after the first ${imported} again.`,
  );
}
