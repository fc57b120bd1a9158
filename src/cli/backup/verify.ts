import { type Finding, findingText } from "../../backup/finding.ts";
import { allFindings } from "../../backup/findings.ts";
import { WrongTypeError } from "../../backup/key-findings.ts";
import { createDataReader } from "../../backup/read-data.ts";
import { createVerifier } from "../../backup/verifier.ts";
import type { Connection } from "../../stores/redis/connection/connection.ts";
import { openFormat } from "../../stores/redis/format.ts";
import { CommandError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interruptible } from "../interruption.ts";
import { faultLine, plural, printResult } from "../output/output.ts";
import { print } from "../output/terminal.ts";
import { withConnection } from "../session/session.ts";
import { countsText, snapshotWithBar } from "./backup.ts";
import { verifyBackup, withBackup } from "./backup-source.ts";

/**
 * Checks whether the data in Redis, or in a backup, agree with each other. Prints a line for each disagreement on
 * standard error.
 *
 * @param path the backup; the data in Redis if absent
 * @throws CommandError if there are disagreements, or if the data cannot be read
 */
export async function verify(environment: Environment, path: string | undefined): Promise<void> {
  let problems = 0;
  const report = (problem: string) => {
    problems += 1;
    print(environment.stderr, faultLine(environment, "data_loss", problem));
  };
  const { counts, version } = await interruptible(
    (signal) =>
      path === undefined
        ? verifyRedis(environment, signal, report)
        : verifyFile(environment, path, signal, report),
    "Interrupted.",
  );
  if (problems > 0) {
    throw new CommandError(
      "data_loss",
      `found ${plural(problems, "disagreement")} among ${countsText(counts)}`,
    );
  }
  await printResult(environment, {
    json: () => JSON.stringify({ version, ...counts }),
    text: () => `verified ${countsText(counts)}, as of version ${version}`,
  });
}

function verifyRedis(
  environment: Environment,
  signal: AbortSignal,
  report: (problem: string) => void,
) {
  return withConnection(environment, async (connection) => {
    await openFormat(connection);
    const reportFinding = (finding: Finding) => {
      if (!finding.isInRecords) report(findingText(finding));
    };
    await reportFindings(connection, signal, reportFinding);
    const verifier = createVerifier(report);
    const reader = createDataReader(connection);
    const records = snapshotWithBar(environment, "verifying", reader, signal, reportFinding);
    let next = await records.next();
    for (; !next.done; next = await records.next()) verifier.check(next.value);
    const { newest } = next.value;
    return { counts: verifier.end({ newest }), version: versionOf(newest) };
  });
}

/** @throws CommandError if a key is of a wrong type, because commands on it fail */
async function reportFindings(
  connection: Connection,
  signal: AbortSignal,
  report: (finding: Finding) => void,
): Promise<void> {
  try {
    for await (const finding of allFindings(connection, signal)) report(finding);
  } catch (error) {
    if (!(error instanceof WrongTypeError)) throw error;
    throw new CommandError("data_loss", `${error.message}: nothing else can be checked`);
  }
}

function verifyFile(
  environment: Environment,
  path: string,
  signal: AbortSignal,
  report: (problem: string) => void,
) {
  return withBackup(environment, path, async (source) => {
    const { manifest, counts } = await verifyBackup(environment, source, signal, report);
    return { counts, version: versionOf(manifest.newest) };
  });
}

function versionOf(newest: string): string {
  return newest.slice(0, newest.indexOf("-"));
}
