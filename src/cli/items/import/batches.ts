import { createHash } from "node:crypto";
import { toBinary } from "@bufbuild/protobuf";
import { type ImportedPet, ImportedPetSchema } from "../../../../gen/catalog/v1/catalog_pb.ts";
import { CommandError } from "../../command-error.ts";
import type { Row } from "./import-file.ts";
import type { RefusedRows, ResumePoint } from "./resume-point.ts";

const batchSize = 500;

/** Largest size of the items in one message, in bytes of JSON. A server accepts messages of 262,144 bytes, or more. */
const batchBytes = 250_000;

/** Messages per call. Bounds the duration of a call, so that it does not exceed a server's time limit. */
const batchesPerCall = 100;

interface Batch {
  /** Number of good rows before them. */
  readonly start: number;
  /** Good rows, including the refused ones. */
  readonly rows: readonly GoodRow[];
  /** The refused rows: bit n is row n. */
  refused: bigint;
}

type GoodRow = Extract<Row, { readonly item: ImportedPet }>;

export type SentRow = GoodRow & { readonly index: number };

export type BatchQueue = ReturnType<typeof createBatchQueue>;

/**
 * Creates the queue of the batches of an import that have not been applied. It reads rows when they are needed.
 *
 * @param bad number of bad rows that the check found
 */
export function createBatchQueue(rows: AsyncIterable<Row>, bad: number, start: ResumePoint) {
  const { importId } = start;
  const counts = { skipped: 0, refused: 0 };
  const batches = batchesOf(rows, start, () => {
    counts.skipped += 1;
    if (counts.skipped > bad) {
      throw new CommandError("aborted", "The file changed while it was being read.");
    }
  });
  const queue: Batch[] = [];
  let imported = start.rows;
  let readError: unknown;
  let pulling: Promise<void> | undefined;

  /** Reads another batch into the queue, unless there is none. A call that has failed can still be waiting for one. */
  function pull(): Promise<void> {
    pulling ??= batches
      .next()
      .then(
        ({ value }) => void (value && queue.push(value)),
        (error: unknown) => {
          readError = error;
        },
      )
      .finally(() => {
        pulling = undefined;
      });
    return pulling;
  }

  /** Removes the batches that have been applied. @param applied the number of their rows that were sent */
  function shift(applied: number): void {
    let left = applied;
    for (let [first] = queue; first; [first] = queue) {
      const sent = sentRows(first).length;
      if (left < sent) return;
      left -= sent;
      imported += first.rows.length;
      counts.refused += first.rows.length - sent;
      queue.shift();
    }
  }

  return {
    /** Waits for the first batch. @returns false after the last one */
    async hasNext(): Promise<boolean> {
      if (queue.length === 0) await pull();
      return queue.length > 0;
    },
    sent: () => (queue[0] ? sentRows(queue[0]) : []),
    async *requests(signal: AbortSignal) {
      for (let at = 0; at < batchesPerCall && (at === 0 || !signal.aborted); at++) {
        if (at >= queue.length) await pull();
        const batch = queue[at];
        if (!batch) return;
        // A resumed import sends the same rows with the same key. Without other rows, a batch has another key.
        const without = batch.refused === 0n ? "" : `-${batch.refused.toString(16)}`;
        const idempotencyKey = `import-${importId}-${batch.start}${without}`;
        yield { pets: sentRows(batch).map(({ item }) => item), idempotencyKey };
      }
    },
    shift,
    /** Leaves out rows of the first batch. */
    refuse(indexes: Iterable<number>): void {
      for (const index of indexes) if (queue[0]) queue[0].refused |= 1n << BigInt(index);
      // A batch without rows is not sent.
      shift(0);
    },
    point: (): ResumePoint => ({
      rows: imported,
      importId,
      refused: queue[0] && refusedOf(queue[0]),
    }),
    skipped: () => counts.skipped + counts.refused,
    /** Returns the error that stopped reading. The rows before it are imported all the same. */
    readError: () => readError,
  };
}

function sentRows({ rows, refused }: Batch): readonly SentRow[] {
  return rows
    .map((row, index) => ({ ...row, index }))
    .filter(({ index }) => !hasBit(refused, index));
}

function refusedOf({ rows, refused: bits }: Batch): RefusedRows | undefined {
  if (bits === 0n) return undefined;
  const digest = createHash("sha256");
  for (const [index, { item }] of rows.entries()) {
    if (hasBit(bits, index)) digest.update(toBinary(ImportedPetSchema, item));
  }
  return { bits, digest: digest.digest("hex").slice(0, 8) };
}

function hasBit(bits: bigint, index: number): boolean {
  return ((bits >> BigInt(index)) & 1n) === 1n;
}

async function* batchesOf(
  rows: AsyncIterable<Row>,
  { rows: resume, refused }: ResumePoint,
  onBad: () => void,
): AsyncGenerator<Batch, undefined> {
  let batch: GoodRow[] = [];
  let bytes = 0;
  let start = resume;
  let left = resume;
  const take = (): Batch => {
    const isFirst = start === resume;
    const made = { start, rows: batch, refused: (isFirst && refused?.bits) || 0n };
    if (isFirst && refusedOf(made)?.digest !== refused?.digest) throw wrongFileError(resume);
    start += batch.length;
    batch = [];
    bytes = 0;
    return made;
  };
  for await (const row of rows) {
    if ("fault" in row) onBad();
    else if (left > 0) left -= 1;
    else {
      const size = mostBytesOf(row.item);
      if (bytes + size > batchBytes) yield take();
      batch.push(row);
      bytes += size;
    }
    if (batch.length === batchSize) yield take();
  }
  if (batch.length > 0) yield take();
}

/** Returns a size in bytes that the JSON of an item never exceeds. A UTF-16 unit takes at most three bytes, or two with an escape. */
function mostBytesOf({ name = "", sku = "" }: ImportedPet): number {
  return 150 + 3 * name.length + 2 * sku.length;
}

/** Returns the error for a file that is not that of the import. @param imported number of good rows before the wrong ones */
export function wrongFileError(imported: number): CommandError {
  return new CommandError(
    "failed_precondition",
    `The rows differ from those of the import in --resume. Use the same, unchanged file, or --resume ${imported} to import all rows after the first ${imported} again.`,
  );
}
