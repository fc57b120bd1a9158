import { keyHashLength } from "../access/api-key.ts";
import { hourMs } from "../call/durations.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import { FormatError, oldAccountKey, ownFormats, readFormat } from "../stores/redis/format.ts";
import {
  accountIndexKey,
  accountKey,
  accountWindowsKey,
  formatKey,
  ordersKey,
  refusalsKey,
} from "../stores/redis/keys.ts";
import { loadWriteScript } from "../stores/redis/scripts.ts";
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
 * - From format 0 to 1, it renames the keys of every account. No process of the service may run.
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
  const renameAccount = loadWriteScript(connection, "rename-account");
  if (from === 0 && !dryRun) {
    // The number marks an interrupted migration. The first accounts do not show the old format any more then.
    await connection.change(formatKey, (redis) => redis.set(formatKey, from));
  }
  const { accounts: total } = await reader.sizes();
  const newestToRemove = Date.now() - hourMs;
  /** Accounts whose keys are renamed. */
  let accounts = 0;
  /** Entries of the index without an account, which are removed. */
  let removed = 0;
  /** What else is repaired: entries of indexes, counts, and deletions that were undone. */
  let repaired = 0;
  begin(total);

  /** @returns whether the account has its old keys */
  async function migrateAccount({ accountId }: AccountPosition): Promise<boolean> {
    const old = oldAccountKey(accountId);
    const fields = await connection.run(old, (redis) => redis.hkeys(old));
    if (fields.length === 0) return false;
    if (dryRun) return true;
    const renames = fields
      .filter((name) => name.length === keyHashLength)
      .map((hash) => [`${old}:refusals:${hash}`, refusalsKey(accountId, hash)]);
    renames.push([`${old}:windows`, accountWindowsKey(accountId)]);
    // The account's own key is the last, so that an interrupted migration finds the other keys again.
    renames.push([old, accountKey(accountId)]);
    await renameAccount(renames.flat(), []);
    return true;
  }

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
    const isOld = await Promise.all(page.map(async (each) => from < 1 && migrateAccount(each)));
    accounts += isOld.filter(Boolean).length;
    const rest = page.filter((_, index) => !isOld[index]);
    await Promise.all(rest.map(removeUnlessThere));
    advance(page.length);
  }
  // The last step. Until then, data of format 0 keeps its number, so no process of this version starts.
  if (!dryRun) await connection.change(formatKey, (redis) => redis.set(formatKey, to));
  if (from === to || !dryRun) await repairAll();
  return { from, to, accounts, removed, repaired };
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
