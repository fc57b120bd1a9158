import { CommandError, usageError } from "../../command-error.ts";
import type { Environment } from "../../environment.ts";
import { interrupted, interruptible } from "../../interruption.ts";
import { type FileFormat, fileError, formatOf, standardStream } from "../../output/file-format.ts";
import { faultLine, plural, printResult } from "../../output/output.ts";
import { createProgressBar, type ProgressBar } from "../../output/progress-bar.ts";
import { write } from "../../output/terminal.ts";
import { withSession } from "../../session/session.ts";
import { refuseOtherFiles } from "./file-kind.ts";
import {
  checkRows,
  csvRows,
  type ImportFile,
  jsonRows,
  openImportFile,
  type Row,
} from "./import-file.ts";
import { readElements } from "./json-elements.ts";
import { readLines } from "./lines.ts";
import type { ResumePoint } from "./resume-point.ts";
import { type ImportTarget, sendRows } from "./send-rows.ts";

interface ImportOptions {
  readonly format?: FileFormat;
  readonly skipBad?: true;
  readonly dryRun?: true;
  /** Where to start; at the first row if absent. */
  readonly resume?: ResumePoint;
}

/** Largest number of bad rows that an import prints. A dry run prints all. */
const maxPrintedRows = 100;

interface Job {
  readonly environment: Environment;
  readonly options: ImportOptions;
  readonly file: ImportFile;
  readonly format: FileFormat;
  /** SIGINT and SIGTERM abort it. */
  readonly signal: AbortSignal;
}

/**
 * Imports a file of items, or standard input (`-`). Reads it twice: to check every row, then to import the rows.
 *
 * @throws CommandError if the file has bad rows and --skip-bad is not set (nothing is imported), or if the import fails or
 * is interrupted
 */
export async function importItems(
  environment: Environment,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const format = await formatOfFile(environment, path, options.format);
  const withFile = async <T>(use: (job: Job) => Promise<T>) => {
    await using file = await openImportFile(path, environment.stdin);
    refuseOtherFiles(path, file.start);
    return await interruptible((signal) =>
      use({ environment, options, file, format, signal }),
    ).catch((error: unknown) => {
      throw fileError(path, error);
    });
  };
  if (options.dryRun) {
    const counts = await withFile(checkFile);
    refuseResumePastEnd(counts.good, options);
    await printResult(environment, {
      json: () => JSON.stringify(counts),
      text: () => `good ${counts.good}, bad ${counts.bad}; nothing was imported (dry run)`,
    });
    refuseBadRows(counts.bad, options);
    return;
  }
  const counts = await withSession(environment, (target) =>
    withFile((job) => importFile(job, target)),
  );
  await printResult(environment, {
    json: () => JSON.stringify(counts),
    text: () => `created ${counts.created}, updated ${counts.updated}, skipped ${counts.skipped}`,
  });
}

/** @throws CommandError that says what the file is if it is of another kind, or else that its format is unknown */
async function formatOfFile(
  { stdin }: Environment,
  path: string,
  option: FileFormat | undefined,
): Promise<FileFormat> {
  try {
    return formatOf(path, option);
  } catch (error) {
    if (path === standardStream) throw error;
    await using file = await openImportFile(path, stdin).catch(() => undefined);
    if (file) refuseOtherFiles(path, file.start);
    throw error;
  }
}

async function importFile(job: Job, target: ImportTarget) {
  const { options, signal, format } = job;
  const { good, bad } = await checkFile(job);
  refuseBadRows(bad, options);
  refuseResumePastEnd(good, options);
  const faults = faultPrinter(job);
  return readThrough(job, "importing", async (rows, bar) => {
    const counts = await sendRows(target, rows, {
      bad,
      start: options.resume,
      signal,
      unit: unitOf(format),
      onRefused: options.skipBad && ((fault) => faults.print(fault, bar)),
    });
    await faults.end(bar);
    return counts;
  });
}

/** Prints the error of each bad row, and counts the rows. */
function checkFile(job: Job) {
  const { options, signal } = job;
  const faults = faultPrinter(job, options.dryRun && Number.POSITIVE_INFINITY);
  return readThrough(job, "checking ", async (rows, bar) => {
    const counts = { good: 0, bad: 0 };
    for await (const row of rows) {
      if (signal.aborted) throw interrupted(signal, "Interrupted: nothing was imported.");
      if ("fault" in row) {
        counts.bad += 1;
        await faults.print(`${unitOf(job.format)} ${row.line}: ${row.fault}`, bar);
      } else counts.good += 1;
    }
    await faults.end(bar);
    return counts;
  });
}

/** Prints the errors of rows. @param most the maximum number of errors to print. The others are only counted */
function faultPrinter({ environment }: Job, most = maxPrintedRows) {
  let count = 0;
  const printOne = (fault: string, bar: ProgressBar) => {
    bar.clear();
    return write(environment.stderr, faultLine(environment, "invalid_argument", fault));
  };
  return {
    async print(fault: string, bar: ProgressBar): Promise<void> {
      count += 1;
      if (count <= most) await printOne(fault, bar);
    },
    /** Says how many errors were not printed. */
    async end(bar: ProgressBar): Promise<void> {
      if (count > most) await printOne(`… and ${count - most} more`, bar);
    },
  };
}

/** @throws CommandError if the import shall continue behind the end of the file */
function refuseResumePastEnd(good: number, { resume }: ImportOptions): void {
  if (!resume || resume.rows <= good) return;
  throw usageError(
    `--resume: the file has only ${plural(good, "good row")}, fewer than ${resume.rows}. Use the file and the value of the interrupted import`,
  );
}

/** @throws CommandError if there are bad rows and --skip-bad is not set */
function refuseBadRows(bad: number, { skipBad }: ImportOptions): void {
  if (bad === 0 || skipBad) return;
  throw new CommandError(
    "invalid_argument",
    `nothing was imported: the file has ${plural(bad, "bad row")}. Correct the file, or skip them with --skip-bad`,
  );
}

/** Returns what the number of a row counts. */
function unitOf(format: FileFormat): string {
  return format === "json" ? "item" : "line";
}

/** Reads a whole file and shows the progress. */
async function readThrough<T>(
  { environment, file, format }: Job,
  label: string,
  use: (rows: AsyncIterable<Row>, bar: ProgressBar) => Promise<T>,
): Promise<T> {
  using bar = createProgressBar(environment, label, file.size);
  const bytes = watched(file.read(), bar);
  const lines = format === "json" ? readElements(bytes) : readLines(bytes);
  const rows = format === "csv" ? csvRows(lines) : jsonRows(lines);
  return await use(checkRows(rows, unitOf(format)), bar);
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
