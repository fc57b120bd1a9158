import { encodeBackup, type Summary } from "../../backup/backup-file.ts";
import { createDataReader, type DataReader } from "../../backup/read-data.ts";
import type { Counts, DataRecord } from "../../backup/records.ts";
import {
  readSnapshot,
  type Snapshot,
  SnapshotError,
  type SnapshotOptions,
} from "../../backup/snapshot.ts";
import { dataFormat, openFormat } from "../../stores/redis/format.ts";
import { CommandError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interruptible } from "../interruption.ts";
import { fileError } from "../output/file-format.ts";
import { errorLine, plural, printResult } from "../output/output.ts";
import { createProgressBar } from "../output/progress-bar.ts";
import { replaceFile } from "../output/replace-file.ts";
import { print } from "../output/terminal.ts";
import { withConnection } from "../session/session.ts";

/** Only the owner may read a new file, because it has hashes of API keys. */
const fileMode = 0o600;

const wouldLack =
  "nothing was saved, because the backup would lack data that is lost. To save what is left, use --force";

/** Writes all data to a file, which is replaced as a whole, or not changed. @throws CommandError also if it would lack data */
export async function backup(
  environment: Environment,
  path: string,
  options: { readonly force?: true },
): Promise<void> {
  const { newest, counts } = await withConnection(environment, (connection) =>
    interruptible(async (signal) => {
      await openFormat(connection);
      let isLacking = false;
      const report = (problem: string) => {
        print(environment.stderr, errorLine(environment, "data_loss", problem));
        isLacking = true;
      };
      let summary: Summary | undefined;
      async function* records() {
        const reader = createDataReader(connection);
        const read = snapshotWithBar(environment, "saving", reader, { signal, report });
        const { last, ...saved } = yield* read;
        if (last !== saved.newest) {
          report(
            `the history lacks its newest entries: it ends with ${last}, but the stock has ${saved.newest}`,
          );
        }
        // An error here leaves the file as it was.
        if (isLacking && !options.force) throw new CommandError("data_loss", wouldLack);
        summary = saved;
        return saved;
      }
      try {
        await replaceFile(path, encodeBackup(dataFormat, new Date(), records()), signal, fileMode);
      } catch (error) {
        throw fileError(path, error);
      }
      if (!summary) throw new Error("the backup has no summary");
      return summary;
    }, `Interrupted: ${path} was not written.`),
  );
  const [version = ""] = newest.split("-");
  await printResult(environment, {
    json: () => JSON.stringify({ file: path, version, ...counts }),
    text: () => `saved ${countsText(counts)} to ${path}, as of version ${version}`,
  });
}

/** Reads a snapshot, and shows the progress. @throws CommandError if the stock changes so that it cannot follow */
export async function* snapshotWithBar(
  environment: Environment,
  label: string,
  reader: DataReader,
  options: Omit<SnapshotOptions, "advance">,
): AsyncGenerator<readonly DataRecord[], Snapshot> {
  const { items, accounts, entries } = await reader.sizes();
  using bar = createProgressBar(environment, label, items + entries + accounts);
  try {
    return yield* readSnapshot(reader, {
      ...options,
      advance: bar.advance,
      report(problem) {
        bar.clear();
        options.report(problem);
      },
    });
  } catch (error) {
    throw error instanceof SnapshotError ? new CommandError("aborted", error.message) : error;
  }
}

export function countsText({ items, accounts, keys, orders, changes, holds }: Counts): string {
  const sold = plural(orders, "order") + (holds ? `, ${plural(holds, "hold")}` : "");
  return `${plural(items, "item")}, ${plural(accounts, "account")} with ${plural(keys, "key")}, ${sold} and ${plural(changes, "change")}`;
}
