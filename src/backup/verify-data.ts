import type { Connection } from "../stores/redis/connection/connection.ts";
import { storedKeys } from "../stores/redis/stored-keys.ts";
import type { Summary } from "./backup-file.ts";
import { createAccountCheck } from "./check-accounts.ts";
import { checkCatalog } from "./check-catalog.ts";
import { createIndexCheck } from "./check-indexes.ts";
import { checkKeys } from "./check-keys.ts";
import type { Found } from "./finding.ts";
import { createDataReader, type DataReader } from "./read-data.ts";
import type { DataRecord } from "./records.ts";
import { redisMicros } from "./restore.ts";
import type { SnapshotOptions } from "./snapshot.ts";
import { createVerifier } from "./verifier.ts";

type Read = (
  reader: DataReader,
  options: Required<Pick<SnapshotOptions, "report" | "observer">>,
) => AsyncGenerator<readonly DataRecord[], Summary>;

/**
 * Checks the data in Redis while clients change it: reads it once, as a backup does, compares the records with each other,
 * and the indexes, sums and counts in Redis with those that follow from the records.
 *
 * @throws ConnectError unavailable; WrongTypeError; SnapshotError; the signal's reason
 */
export async function verifyData(
  opened: Connection,
  signal: AbortSignal,
  found: Found,
  read: Read,
): Promise<Summary> {
  const connection = abortable(opened, signal);
  const indexes = createIndexCheck(connection, found);
  // First, because commands on keys of a wrong type fail, and orders in a wrong place are not read in order.
  for await (const names of storedKeys(connection)) {
    signal.throwIfAborted();
    await checkKeys(connection, names, found);
    indexes.addKeys(names);
  }
  const now = (await redisMicros(connection)) / 1_000;
  const accounts = createAccountCheck(connection, opened, now, found);
  const reported: (() => Promise<void>)[] = [];
  const report = (problem: string, accountId?: string) => {
    const repair = accountId === undefined ? undefined : () => accounts.repair(accountId);
    reported.push(() => found(problem, repair));
  };
  const verifier = createVerifier(report);

  async function passOn(): Promise<void> {
    for (const send of reported.splice(0)) await send();
  }

  const observer = { accounts: accounts.check, counts: indexes.addCounts };
  await using records = read(createDataReader(connection), { report, observer });
  let next = await records.next();
  for (; !next.done; next = await records.next()) {
    verifier.check(next.value);
    await passOn();
    await indexes.check(next.value);
  }
  await indexes.end();
  await checkCatalog(connection, found);
  const { newest } = next.value;
  const counts = verifier.end({ newest });
  await passOn();
  return { newest, counts };
}

/** Returns a connection that sends no more commands once the signal is aborted. They fail with the signal's reason. */
function abortable(connection: Connection, signal: AbortSignal): Connection {
  const unlessAborted = (perform: Connection["run"]): Connection["run"] => {
    return async (...commands) => {
      signal.throwIfAborted();
      return perform(...commands);
    };
  };
  const { run, change } = connection;
  return { ...connection, run: unlessAborted(run), change: unlessAborted(change) };
}
