import { hourMs } from "../call/durations.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import { FormatError, ownFormats, readFormat } from "../stores/redis/format.ts";
import { accountIndexKey, accountKey, formatKey, ordersKey } from "../stores/redis/keys.ts";
import { allFindings } from "./findings.ts";
import { type AccountPosition, createDataReader } from "./read-data.ts";

/** Options of a migration. */
export interface MigrationOptions {
  /** Whether to change nothing. */
  readonly dryRun: boolean;
  /** Called once with the number of all accounts. */
  readonly begin: (accounts: number) => void;
  /** Called after each page, with the number of accounts in it. */
  readonly advance: (accounts: number) => void;
  /** Called with each disagreement that is repaired. */
  readonly repairing: (problem: string) => void;
  /** Stops the migration after the current page of accounts. */
  readonly signal: AbortSignal;
}

/**
 * Migrates the data to the newest format of this version. It can be interrupted at any time and run again.
 *
 * - In every format, it removes entries of the index whose account does not exist. CreateAccount leaves one if it is
 *   interrupted after the entry and before the account. Its caller has not received the account id. Entries of the last
 *   hour stay, because CreateAccount may be about to write their account. So do those whose account has orders, which an
 *   operator must delete.
 * - In the newest format, it repairs what can be repaired (see findings.ts), while processes of the service run.
 *
 * @returns both formats, and what was changed; after a dry run, what a migration would change
 * @throws ConnectError unavailable; FormatError if the data has a newer format or is an incomplete restore; the
 * signal's reason
 */
export async function migrate(
  connection: Connection,
  { dryRun, begin, advance, repairing, signal }: MigrationOptions,
) {
  const from = await formatBefore(connection);
  const to = ownFormats.newest;
  const reader = createDataReader(connection);
  const { accounts: total } = await reader.sizes();
  const newestToRemove = Date.now() - hourMs;
  /** Entries of the index without an account, which are removed. */
  let removed = 0;
  /** What else is repaired: entries of indexes, counts, and deletions that were undone. */
  let repaired = 0;
  begin(total);

  async function removeUnlessThere({ accountId, created }: AccountPosition): Promise<void> {
    if (created > newestToRemove) return;
    for (const key of [accountKey(accountId), ordersKey(accountId)]) {
      if (await connection.run(key, (redis) => redis.exists(key))) return;
    }
    removed += 1;
    if (dryRun) return;
    await connection.change(accountIndexKey, (redis) => redis.zrem(accountIndexKey, accountId));
  }

  async function repairAll(): Promise<void> {
    for await (const { problem, repair } of allFindings(connection, signal)) {
      if (!repair) continue;
      repaired += 1;
      repairing(problem);
      if (!dryRun) await repair();
    }
  }

  let after: AccountPosition | undefined;
  for (;;) {
    signal.throwIfAborted();
    const page = await reader.accountIds(after);
    after = page.at(-1);
    if (!after) break;
    await Promise.all(page.map(removeUnlessThere));
    advance(page.length);
  }
  if (!dryRun) await connection.change(formatKey, (redis) => redis.set(formatKey, to));
  if (from === to || !dryRun) await repairAll();
  return { from, to, removed, repaired };
}

/** @throws FormatError when the data cannot be migrated */
async function formatBefore(connection: Connection): Promise<number> {
  const stored = await readFormat(connection);
  const { newest } = ownFormats;
  if (stored.kind === "none") return newest;
  if (stored.kind === "restoring") {
    throw new FormatError("The data in Redis is an incomplete restore. Restore it again first.");
  }
  if (stored.number <= newest) return stored.number;
  throw new FormatError(
    `The data in Redis has format ${stored.number}, and this version knows only up to ${newest}. Use the command line of a newer version.`,
  );
}
