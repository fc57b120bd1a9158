import { encodeBackup, type Summary } from "../data/backup-file.ts";
import { createDataReader, type DataReader } from "../data/read-data.ts";
import type { Counts, DataRecord } from "../data/records.ts";
import { readSnapshot, SnapshotError } from "../data/snapshot.ts";
import { openFormat } from "../redis/format.ts";
import { CommandError } from "./command-error.ts";
import type { CommonOptions } from "./command-options.ts";
import type { Environment } from "./environment.ts";
import { fileError } from "./file-format.ts";
import { interrupted, interruptible } from "./interruption.ts";
import { errorLine, printResult } from "./output.ts";
import { createProgressBar } from "./progress-bar.ts";
import { replaceFile } from "./replace-file.ts";
import { withConnection } from "./session.ts";

/** Only the owner may read a new file, because it has hashes of API keys. */
const fileMode = 0o600;

/**
 * Writes all data to a file, while the service runs. The file is replaced as a whole, or not changed.
 *
 * @throws CommandError if Redis or the file fails, or if the command is interrupted
 */
export async function backup(
  environment: Environment,
  path: string,
  options: CommonOptions,
): Promise<void> {
  const { newest, counts } = await withConnection(environment, (connection) =>
    interruptible(async (signal) => {
      const format = await openFormat(connection);
      let summary: Summary | undefined;
      async function* records() {
        const reader = createDataReader(connection);
        summary = yield* snapshotWithBar(environment, options, "saving", reader, signal);
        return summary;
      }
      try {
        await replaceFile(path, encodeBackup(format, new Date(), records()), signal, fileMode);
      } catch (error) {
        if (signal.aborted) throw interrupted(signal, `Interrupted: ${path} was not written.`);
        throw snapshotError(fileError(path, error));
      }
      if (!summary) throw new Error("the backup has no summary");
      return summary;
    }),
  );
  const [version = ""] = newest.split("-");
  await printResult(environment, options, {
    json: () => JSON.stringify({ file: path, version, ...counts }),
    text: () => `saved ${countsText(counts)} to ${path}, as of version ${version}`,
  });
}

/** Reads a snapshot. Shows the progress, and prints disagreements that its records cannot show. */
export async function* snapshotWithBar(
  environment: Environment,
  { json }: CommonOptions,
  label: string,
  reader: DataReader,
  signal: AbortSignal,
  report?: (problem: string) => void,
): AsyncGenerator<readonly DataRecord[], Summary> {
  const { items, accounts, entries } = await reader.sizes();
  // Accounts are read twice.
  const bar = createProgressBar(environment, label, items + entries + 2 * accounts);
  const print = (problem: string) => {
    bar.clear();
    environment.stderr.write(errorLine("data_loss", problem, json === true));
  };
  try {
    return yield* readSnapshot(reader, {
      advance: bar.advance,
      report: report ?? print,
      signal,
    });
  } finally {
    bar.clear();
  }
}

/** Converts the error of a snapshot to a CommandError. Returns other errors as they are. */
export function snapshotError(error: unknown): unknown {
  return error instanceof SnapshotError ? new CommandError("aborted", error.message) : error;
}

/** Formats counts as human-readable text. */
export function countsText({ items, accounts, keys, orders, changes }: Counts): string {
  return `${plural(items, "item")}, ${plural(accounts, "account")} with ${plural(keys, "key")}, ${plural(orders, "order")} and ${plural(changes, "change")}`;
}

/** Returns a number with its noun. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
