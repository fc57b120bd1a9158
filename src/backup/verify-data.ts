import { present } from "../call/present.ts";
import { abortable } from "../stores/redis/connection/abortable.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import type { Summary } from "./backup-file.ts";
import { createAccountCheck } from "./check-account-index.ts";
import { createIndexCheck } from "./check-indexes.ts";
import { checkKeys } from "./check-keys.ts";
import type { Found } from "./finding.ts";
import { createDataReader, type DataReader } from "./read-data.ts";
import type { DataRecord } from "./records.ts";
import { redisMicros } from "./restore.ts";
import type { SnapshotOptions } from "./snapshot.ts";
import { createVerifier } from "./verifier.ts";

/** Reads a snapshot (see `readSnapshot`). */
type Read = (
  reader: DataReader,
  options: Required<Pick<SnapshotOptions, "report" | "observer">>,
) => AsyncGenerator<readonly DataRecord[], Summary>;

/**
 * Checks the data in Redis while clients change it: reads it once, as a backup does, compares the records with each other,
 * and the indexes, sums and counts in Redis with those that follow from the records.
 *
 * @param found called with each disagreement
 * @returns the version, and the number of records of each kind
 * @throws ConnectError unavailable; WrongTypeError; SnapshotError; the signal's reason
 */
export async function verifyData(
  opened: Connection,
  signal: AbortSignal,
  found: Found,
  read: Read,
): Promise<Summary> {
  const connection = abortable(opened, signal);
  // First, because commands on keys of a wrong type fail, and orders in a wrong place are not read in order.
  await checkKeys(connection, signal, found);
  const now = (await redisMicros(connection)) / 1_000;
  const reported: (readonly [problem: string, accountId: string | undefined])[] = [];
  const report = (problem: string, accountId?: string) => {
    reported.push([problem, accountId]);
  };
  const verifier = createVerifier(report);
  const indexes = createIndexCheck(connection, found);
  const accounts = createAccountCheck(connection, opened, now, found);

  async function passOn(): Promise<void> {
    for (const [problem, accountId] of reported.splice(0)) {
      await found(problem, accountId === undefined ? undefined : () => accounts.repair(accountId));
    }
  }

  const observer = {
    keys: indexes.addKeys,
    accounts: accounts.check,
    counts: indexes.addCounts,
  };
  let summary: Summary | undefined;
  async function* records() {
    summary = yield* read(createDataReader(connection), { report, observer });
  }
  for await (const page of records()) {
    verifier.check(page);
    await passOn();
    await indexes.check(page);
  }
  await indexes.end();
  const { newest } = present(summary, "the summary of the data");
  const counts = verifier.end({ newest });
  await passOn();
  return { newest, counts };
}
