import { type Finding, findingText } from "../../backup/finding.ts";
import { allFindings } from "../../backup/findings.ts";
import { WrongTypeError } from "../../backup/key-findings.ts";
import { createDataReader } from "../../backup/read-data.ts";
import { createVerifier } from "../../backup/verifier.ts";
import type { Connection } from "../../stores/redis/connection/connection.ts";
import { openFormat } from "../../stores/redis/format.ts";
import { CommandError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interrupted, interruptible } from "../interruption.ts";
import { faultLine, plural, printResult } from "../output/output.ts";
import { print } from "../output/terminal.ts";
import { withConnection } from "../session/session.ts";
import { countsText, snapshotWithBar } from "./backup.ts";
import { verifyBackup, withBackup } from "./backup-source.ts";
import { recordCommand } from "./record-command.ts";

/** A check in progress. */
interface Check {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Called with each disagreement. */
  readonly report: (problem: string) => void;
  /** Makes a repair, and reports it; undefined if nothing is to be repaired. */
  readonly repair: ((problem: string, repair: () => Promise<unknown>) => Promise<void>) | undefined;
}

/**
 * Checks whether the data in Redis, or in a backup, agree with each other. Prints a line for each disagreement on
 * standard error.
 *
 * @param path the backup; the data in Redis if absent
 * @throws CommandError if there are disagreements that are not repaired, or if the data cannot be read
 */
export async function verify(
  environment: Environment,
  path: string | undefined,
  options: { readonly repair?: true },
): Promise<void> {
  if (path !== undefined && options.repair) {
    throw usageError("--repair needs the data in Redis: leave out the file");
  }
  let problems = 0;
  let repaired = 0;
  const printLine = (line: string) =>
    print(environment.stderr, faultLine(environment, "data_loss", line));
  const report = (problem: string) => {
    problems += 1;
    printLine(problem);
  };
  const repair: Check["repair"] = async (problem, mend) => {
    await mend();
    repaired += 1;
    printLine(`${problem}: repaired`);
  };
  const interruption = options.repair
    ? "Interrupted: run the command again to complete the repair."
    : "Interrupted.";
  const { counts, version } = await interruptible(async (signal) => {
    const check = { environment, signal, report, repair: options.repair && repair };
    if (path !== undefined) return verifyFile(check, path);
    return withConnection(environment, async (connection) => {
      await openFormat(connection);
      if (!options.repair) return verifyRedis(check, connection);
      const work = () =>
        verifyRedis(check, connection).catch((error: unknown) => {
          // The audit trail gets the code of this error.
          throw signal.aborted ? interrupted(signal, interruption) : error;
        });
      return recordCommand(
        environment,
        connection,
        "inventory verify",
        { repair: true },
        work,
        () => ({
          repaired,
        }),
      );
    });
  }, interruption);
  const mended = options.repair ? `, and repaired ${plural(repaired, "other")}` : "";
  if (problems > 0) {
    throw new CommandError(
      "data_loss",
      `found ${plural(problems, "disagreement")} among ${countsText(counts)}${mended}`,
    );
  }
  await printResult(environment, {
    json: () => JSON.stringify({ version, ...counts, ...(options.repair && { repaired }) }),
    text: () =>
      `verified ${countsText(counts)}, as of version ${version}${options.repair ? `: repaired ${plural(repaired, "disagreement")}` : ""}`,
  });
}

async function verifyRedis(check: Check, connection: Connection) {
  const { environment, signal, report, repair } = check;
  const reportFinding = (finding: Finding) => {
    if (!finding.isInRecords) report(findingText(finding));
  };
  try {
    for await (const finding of allFindings(connection, signal)) {
      if (repair && finding.repair) await repair(finding.problem, finding.repair);
      else reportFinding(finding);
    }
  } catch (error) {
    if (!(error instanceof WrongTypeError)) throw error;
    throw new CommandError("data_loss", `${error.message}: nothing else can be checked`);
  }
  const verifier = createVerifier(report);
  const reader = createDataReader(connection);
  const records = snapshotWithBar(environment, "verifying", reader, signal, reportFinding);
  let next = await records.next();
  for (; !next.done; next = await records.next()) verifier.check(next.value);
  const { newest } = next.value;
  return { counts: verifier.end({ newest }), version: versionOf(newest) };
}

function verifyFile({ environment, signal, report }: Check, path: string) {
  return withBackup(environment, path, async (source) => {
    const { manifest, counts } = await verifyBackup(environment, source, signal, report);
    return { counts, version: versionOf(manifest.newest) };
  });
}

function versionOf(newest: string): string {
  return newest.slice(0, newest.indexOf("-"));
}
