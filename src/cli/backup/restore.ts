import { type BackupSource, type Manifest, readRecords } from "../../backup/backup-file.ts";
import { createNewVersions, type NewVersions, versionJump } from "../../backup/new-versions.ts";
import { parseEntryId } from "../../backup/records.ts";
import { beginRestore, type Restore, redisMicros } from "../../backup/restore.ts";
import { RestoreError } from "../../backup/restore-lease.ts";
import type { Connection } from "../../stores/redis/connection/connection.ts";
import { CommandError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interrupted, interruptible } from "../interruption.ts";
import { faultLine, plural, printResult } from "../output/output.ts";
import { createProgressBar } from "../output/progress-bar.ts";
import { print } from "../output/terminal.ts";
import { withConnection } from "../session/session.ts";
import { countsText } from "./backup.ts";
import { verifyBackup, withBackup } from "./backup-source.ts";
import { recordCommand } from "./record-command.ts";

/**
 * Writes a backup into an empty Redis, after it has checked the whole file. All versions are new.
 *
 * @throws CommandError if the file is damaged or Redis is not empty, and nothing was written; or if Redis fails or the
 * command is interrupted, and the same command must be run again
 */
export async function restore(
  environment: Environment,
  path: string,
  { force }: { readonly force?: true },
): Promise<void> {
  const { counts } = await withConnection(environment, (connection) =>
    withBackup(environment, path, (source) =>
      interruptible((signal) => restoreFrom({ environment, connection, source, force, signal })),
    ),
  );
  await printResult(environment, {
    json: () => JSON.stringify(counts),
    text: () => `restored ${countsText(counts)}`,
  });
}

interface Job {
  readonly environment: Environment;
  readonly connection: Connection;
  readonly source: BackupSource;
  /** Whether to restore data that do not agree with each other. */
  readonly force?: true | undefined;
  readonly signal: AbortSignal;
}

async function restoreFrom(job: Job): Promise<Manifest> {
  const { environment, connection, source, signal } = job;
  const { manifest, versions } = await check(job);
  using bar = createProgressBar(environment, "restoring", source.size);
  let begun: Restore | undefined;
  try {
    begun = await beginRestore(connection, versions);
    const advance = (bytes: number) => {
      signal.throwIfAborted();
      bar.advance(bytes);
    };
    for await (const records of readRecords(source, manifest, advance)) {
      await begun.write(records);
    }
    signal.throwIfAborted();
    // The restored trail continues with the restore. Before this, nobody can use the data, and the next restore
    // deletes them.
    const details = { createdAt: manifest.createdAt, sha256: manifest.sha256 };
    const recorded = { command: "inventory restore", details, work: begun.finish };
    await recordCommand(environment, begun.connection, recorded);
    return manifest;
  } catch (error) {
    if (error instanceof RestoreError) throw new CommandError("failed_precondition", error.message);
    if (!signal.aborted) throw error;
    throw interrupted(
      signal,
      "Interrupted: the restore is incomplete. Run the command again: it starts from the beginning.",
    );
  } finally {
    // If Redis is not available, another restore can begin a little later.
    await begun?.release().catch(() => {});
  }
}

/** Checks the file, and makes the new versions of its history. */
async function check(job: Job): Promise<{ manifest: Manifest; versions: NewVersions }> {
  const { environment, connection, source, force, signal } = job;
  const now = await redisMicros(connection);
  let versions: NewVersions | undefined;
  const versionsOf = ({ newest, counts }: Manifest) => {
    const { version = 0, number = 0 } = parseEntryId(newest) ?? {};
    versions ??= createNewVersions(Math.max(now, version) + versionJump(), counts.items, number);
    return versions;
  };
  let problems = 0;
  const report = (problem: string) => {
    problems += 1;
    print(environment.stderr, faultLine(environment, "data_loss", problem));
  };
  try {
    const manifest = await verifyBackup(environment, source, {
      signal,
      report,
      onEntry: (found, id, changes) => versionsOf(found).add(id, changes.length),
    });
    if (problems > 0 && !force) {
      throw new CommandError(
        "data_loss",
        `nothing was restored: the backup has ${plural(problems, "disagreement")}. Restore it all the same with --force`,
      );
    }
    return { manifest, versions: versionsOf(manifest) };
  } catch (error) {
    throw signal.aborted ? interrupted(signal, "Interrupted: nothing was restored.") : error;
  }
}
