import { CommandError } from "../../command-error.ts";
import type { Environment } from "../../environment.ts";
import { interrupted, interruptible } from "../../interruption.ts";
import { type FileFormat, fileError, formatOf } from "../../output/file-format.ts";
import { faultLine, plural, printResult, write } from "../../output/output.ts";
import { createProgressBar, type ProgressBar } from "../../output/progress-bar.ts";
import { withSession } from "../../session/session.ts";
import {
  checkRows,
  csvRows,
  type ImportFile,
  ndjsonRows,
  openImportFile,
  type Row,
} from "./import-file.ts";
import { readLines } from "./lines.ts";
import type { ResumePoint } from "./resume-point.ts";
import { type ImportTarget, putRows } from "./send-rows.ts";

/** Options of `items import`. */
interface ImportOptions {
  readonly format?: FileFormat;
  readonly skipBad?: true;
  /** Whether to check the file only. */
  readonly dryRun?: true;
  /** Where to start; at the first row if absent. */
  readonly resume?: ResumePoint;
}

/** Largest number of bad rows that an import prints. A dry run prints all. */
const maxPrintedRows = 100;

/** Numbers of good and bad rows of a file. */
interface RowCounts {
  readonly good: number;
  readonly bad: number;
}

/**
 * Imports a file of items. Reads it twice: once to check every row, then to import the rows.
 *
 * @param path the file; `-` is standard input
 * @throws CommandError if the file has bad rows and --skip-bad is not set (nothing is imported), or if the import
 * fails or is interrupted
 */
export async function importItems(
  environment: Environment,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const format = formatOf(path, options.format);
  if (options.dryRun) return checkItems(environment, path, format, options);
  const counts = await withSession(environment, {}, (target) =>
    withFile(environment, path, (file, signal) =>
      importFile(environment, target, file, format, options, signal),
    ),
  );
  await printResult(environment, {
    json: () => JSON.stringify(counts),
    text: () => `created ${counts.created}, updated ${counts.updated}, skipped ${counts.skipped}`,
  });
}

/** Checks every row of a file and prints the bad ones. Connects to nothing. */
async function checkItems(
  environment: Environment,
  path: string,
  format: FileFormat,
  options: ImportOptions,
): Promise<void> {
  const { good, bad } = await withFile(environment, path, (file, signal) =>
    checkFile(environment, file, format, options, signal),
  );
  await printResult(environment, {
    json: () => JSON.stringify({ good, bad }),
    text: () => `good ${good}, bad ${bad}; nothing was imported (dry run)`,
  });
  if (bad > 0 && !options.skipBad) throw badRows(bad);
}

/** Opens a file and calls `use` with it. SIGINT and SIGTERM abort the signal that `use` gets. */
async function withFile<T>(
  { stdin }: Environment,
  path: string,
  use: (file: ImportFile, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const file = await openImportFile(path, stdin);
  try {
    return await interruptible((signal) => use(file, signal));
  } catch (error) {
    throw fileError(path, error);
  } finally {
    await file.close();
  }
}

async function importFile(
  environment: Environment,
  target: ImportTarget,
  file: ImportFile,
  format: FileFormat,
  options: ImportOptions,
  signal: AbortSignal,
) {
  const { bad } = await checkFile(environment, file, format, options, signal);
  if (bad > 0 && !options.skipBad) throw badRows(bad);
  return readThrough(environment, file, format, "importing", (rows) =>
    putRows(target, rows, bad, options.resume, signal),
  );
}

function checkFile(
  environment: Environment,
  file: ImportFile,
  format: FileFormat,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<RowCounts> {
  return readThrough(environment, file, format, "checking ", (rows, bar) =>
    printBadRows(environment, options, rows, bar, signal),
  );
}

function badRows(bad: number): CommandError {
  return new CommandError(
    "invalid_argument",
    `nothing was imported: the file has ${plural(bad, "bad row")}. Correct the file, or skip them with --skip-bad`,
  );
}

/** Reads a whole file and shows the progress. */
async function readThrough<T>(
  environment: Environment,
  file: ImportFile,
  format: FileFormat,
  label: string,
  use: (rows: AsyncIterable<Row>, bar: ProgressBar) => Promise<T>,
): Promise<T> {
  const bar = createProgressBar(environment, label, file.size);
  const lines = readLines(watched(file.read(), bar));
  try {
    return await use(checkRows(format === "csv" ? csvRows(lines) : ndjsonRows(lines)), bar);
  } finally {
    bar.clear();
  }
}

async function* watched(
  chunks: AsyncIterable<Buffer>,
  { advance }: ProgressBar,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    advance(chunk.length);
  }
}

/** Prints the error of each bad row, and counts the rows. */
async function printBadRows(
  environment: Environment,
  { dryRun }: ImportOptions,
  rows: AsyncIterable<Row>,
  bar: ProgressBar,
  signal: AbortSignal,
): Promise<RowCounts> {
  const counts = { good: 0, bad: 0 };
  const most = dryRun ? Number.POSITIVE_INFINITY : maxPrintedRows;
  const print = (message: string) => {
    bar.clear();
    return write(environment.stderr, faultLine(environment, "invalid_argument", message));
  };
  for await (const row of rows) {
    if (signal.aborted) throw interrupted(signal, "Interrupted: nothing was imported.");
    if (!("fault" in row)) counts.good += 1;
    else if (++counts.bad <= most) await print(`line ${row.line}: ${row.fault}`);
  }
  if (counts.bad > most) await print(`… and ${counts.bad - most} more`);
  return counts;
}
