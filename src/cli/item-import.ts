import { CommandError } from "./command-error.ts";
import type { CommonOptions } from "./command-options.ts";
import { csvRows } from "./csv-rows.ts";
import type { Environment } from "./environment.ts";
import { type FileFormat, fileError, formatOf } from "./file-format.ts";
import { type ImportFile, openImportFile } from "./import-file.ts";
import { type ImportTarget, putRows } from "./import-rows.ts";
import { readLines } from "./lines.ts";
import { ndjsonRows } from "./ndjson-rows.ts";
import { errorLine, printResult } from "./output.ts";
import { createProgressBar, type ProgressBar } from "./progress-bar.ts";
import { checkRows, type Row } from "./rows.ts";
import { withServer } from "./server-session.ts";
import { withSession } from "./session.ts";

/** Options of an import. */
export interface ImportOptions extends CommonOptions {
  readonly format?: FileFormat;
  readonly skipBad?: true;
  /** Base URL of a server that runs; the Redis of the service is used without it. */
  readonly server?: string;
  /** How many good rows are imported already. */
  readonly resume?: number;
}

/** Bad rows that are told; more are only counted. */
const maxTold = 100;

/**
 * Imports a file of items: reads it once to check every row, and once more to import it.
 *
 * @param path the file; `-` is standard input
 * @throws CommandError when there are bad rows that are not to be skipped (nothing is imported then),
 * or the import could not be ended
 */
export async function importItems(
  environment: Environment,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const format = formatOf(path, options.format);
  const counts = await withTarget(environment, options, async (target) => {
    const file = await openImportFile(path, environment.stdin);
    try {
      return await importFile(environment, target, file, format, options);
    } catch (error) {
      throw fileError(path, error);
    } finally {
      await file.close();
    }
  });
  await printResult(environment, options, {
    json: () => JSON.stringify(counts),
    text: () => `created ${counts.created}, updated ${counts.updated}, skipped ${counts.skipped}`,
  });
}

function withTarget<T>(
  environment: Environment,
  { server }: ImportOptions,
  use: (target: ImportTarget) => Promise<T>,
): Promise<T> {
  return server === undefined
    ? withSession(environment, {}, use)
    : withServer(environment, server, use);
}

async function importFile(
  environment: Environment,
  target: ImportTarget,
  file: ImportFile,
  format: FileFormat,
  options: ImportOptions,
) {
  const bad = await readThrough(environment, file, format, "checking ", (rows, bar) =>
    tellBadRows(environment, options, rows, bar),
  );
  if (bad > 0 && !options.skipBad) {
    throw new CommandError(
      "invalid_argument",
      `nothing was imported because of ${bad} bad row${bad === 1 ? "" : "s"}: correct the file, or leave them out with --skip-bad`,
    );
  }
  return readThrough(environment, file, format, "importing", (rows) =>
    putRows(target, rows, bad, options.resume),
  );
}

/** Reads a file from its beginning to its end, and shows how far it is. */
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

/** @returns how many there are */
async function tellBadRows(
  { stderr }: Environment,
  { json }: ImportOptions,
  rows: AsyncIterable<Row>,
  bar: ProgressBar,
): Promise<number> {
  let bad = 0;
  const tell = (message: string) => {
    bar.clear();
    stderr.write(json ? errorLine("invalid_argument", message, true) : `${message}\n`);
  };
  for await (const row of rows) {
    if ("fault" in row && ++bad <= maxTold) {
      tell(`line ${row.line}: ${row.fault}`);
    }
  }
  if (bad > maxTold) {
    tell(`… and ${bad - maxTold} more`);
  }
  return bad;
}
