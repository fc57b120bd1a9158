import {
  type BackupSource,
  checkBackup,
  type Manifest,
  readRecords,
} from "../../backup/backup-file.ts";
import { BackupError } from "../../backup/json-lines.ts";
import type { EntryId, ItemChange } from "../../backup/records.ts";
import { createVerifier } from "../../backup/verifier.ts";
import { dataFormat } from "../../stores/redis/format.ts";
import { CommandError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { openImportFile } from "../items/import/import-file.ts";
import { fileError, standardStream } from "../output/file-format.ts";
import { createProgressBar } from "../output/progress-bar.ts";

/** Opens a backup while `use` runs. @throws CommandError if it cannot be read, or is damaged */
export async function withBackup<T>(
  { stdin }: Environment,
  path: string,
  use: (source: BackupSource) => Promise<T>,
): Promise<T> {
  await using file = await openImportFile(path, stdin);
  try {
    return await use(file);
  } catch (error) {
    if (error instanceof BackupError) {
      const name = path === standardStream ? "standard input" : path;
      throw new CommandError("data_loss", `${name} ${error.message}`);
    }
    throw fileError(path, error);
  }
}

/** Functions that observe a check, and what ends it. */
interface CheckObservers {
  readonly signal: AbortSignal;
  /** Called with each disagreement. */
  readonly report: (problem: string) => void;
  readonly onEntry?: (manifest: Manifest, id: EntryId, changes: readonly ItemChange[]) => void;
}

/**
 * Reads a backup twice: compares its checksum, then checks whether its records agree.
 *
 * @returns the manifest, with the counts of the records
 * @throws BackupError if the file is truncated or damaged, or of another format; the signal's reason
 */
export async function verifyBackup(
  environment: Environment,
  source: BackupSource,
  { signal, report, onEntry }: CheckObservers,
): Promise<Manifest> {
  using bar = createProgressBar(environment, "checking ", 2 * source.size);
  const advance = (bytes: number) => {
    signal.throwIfAborted();
    bar.advance(bytes);
  };
  const print = (problem: string) => {
    bar.clear();
    report(problem);
  };
  const manifest = await checkBackup(source, advance);
  if (manifest.format !== dataFormat) {
    throw new BackupError(
      `has format ${manifest.format}, and this version uses format ${dataFormat}`,
    );
  }
  const verifier = createVerifier(print, (id, changes) => onEntry?.(manifest, id, changes));
  for await (const records of readRecords(source, manifest, advance)) verifier.check(records);
  return { ...manifest, counts: verifier.end(manifest) };
}
