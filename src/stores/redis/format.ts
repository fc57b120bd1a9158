import { setTimeout as pause } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { ReplyError } from "ioredis";
import { singleFlight } from "../../call/single-flight.ts";
import type { Connection } from "./connection/connection.ts";
import {
  accountIndexKey,
  auditEntriesKey,
  formatKey,
  holdsKey,
  itemsKey,
  lastOrderKey,
  newestChangeKey,
  petIdsKey,
  stockChangesKey,
} from "./keys.ts";

/**
 * The formats of the stored data that a version of the service reads and writes. The number in Redis says which one is
 * in use. So two neighboring versions run side by side: the newer one uses the older format until all processes are
 * new and `inventory migrate` raises the number.
 */
export interface FormatRange {
  readonly oldest: number;
  readonly newest: number;
}

/** The formats of this version. */
export const ownFormats: FormatRange = { oldest: 1, newest: 1 };

/** What Redis stores. */
export type StoredFormat =
  /** No number: there is no data, or a running process has written data after all of it was removed. */
  | { readonly kind: "none" }
  | { readonly kind: "format"; readonly number: number }
  /** A restore has not ended, or was interrupted. `by` is its id. */
  | { readonly kind: "restoring"; readonly by: string };

/** The data in Redis has a format that this process cannot use. The message says what to do. */
export class FormatError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FormatError";
  }
}

/** The value of the key while data is restored, followed by the id of the restore. */
export const restoringPrefix = "restoring ";

/** Reads which format the data has. @throws ConnectError unavailable; FormatError if the value is unknown */
export async function readFormat(connection: Connection): Promise<StoredFormat> {
  const value = await connection.run(formatKey, (redis) => redis.get(formatKey));
  if (value?.startsWith(restoringPrefix)) {
    return { kind: "restoring", by: value.slice(restoringPrefix.length) };
  }
  if (value === null) return { kind: "none" };
  if (!/^\d{1,9}$/.test(value)) throw unknownFormat(value);
  return { kind: "format", number: Number(value) };
}

/** Whether there is any account, item, order, hold, change or entry of the audit trail. @throws ConnectError unavailable */
export async function hasData(connection: Connection): Promise<boolean> {
  const stockKeys = [itemsKey, petIdsKey, newestChangeKey, stockChangesKey, lastOrderKey, holdsKey];
  const [accounts, stock, audit] = await Promise.all([
    connection.run(accountIndexKey, (redis) => redis.exists(accountIndexKey)),
    connection.run(itemsKey, (redis) => redis.exists(...stockKeys)),
    connection.run(auditEntriesKey, (redis) => redis.exists(auditEntriesKey)),
  ]);
  return accounts + stock + audit > 0;
}

/**
 * Checks that this process can use the data. Writes the newest format if there is no number.
 *
 * @returns the format to use
 * @throws ConnectError unavailable; FormatError if the data has another format, or is an incomplete restore
 */
export async function openFormat(
  connection: Connection,
  formats: FormatRange = ownFormats,
): Promise<number> {
  const stored = await readFormat(connection);
  if (stored.kind === "none") {
    // Another process may be the first.
    const { newest } = formats;
    await connection.change(formatKey, (redis) => redis.set(formatKey, newest, "NX"));
    return openFormat(connection, formats);
  }
  if (stored.kind === "restoring") {
    throw new FormatError(
      "The data in Redis is an incomplete restore. Wait for it, or run `inventory restore` with the file again.",
    );
  }
  const { number } = stored;
  if (number > formats.newest) throw unknownFormat(String(number), formats);
  if (number < formats.oldest) {
    throw new FormatError(
      `The data in Redis has format ${number}, and this version needs ${formats.oldest}. Stop all processes of the service, then run \`inventory migrate\`.`,
    );
  }
  return number;
}

/** The time between two attempts to open the format, in milliseconds. */
const retryMs = 50;

/**
 * Like {@link openFormat}, but tries again while Redis does not reply, as when it forks to write a snapshot.
 *
 * @param timeoutMs the longest time in which another attempt begins, in milliseconds
 * @throws ConnectError unavailable, at once when Redis refuses a command; FormatError like {@link openFormat}
 */
export async function openFormatWithin(
  connection: Connection,
  formats: FormatRange,
  timeoutMs: number,
): Promise<number> {
  const endsAt = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await openFormat(connection, formats);
    } catch (error) {
      if (!isWithoutReply(error) || performance.now() + retryMs >= endsAt) throw error;
      await pause(retryMs);
    }
  }
}

function isWithoutReply(error: unknown): boolean {
  const { code, cause } = ConnectError.from(error);
  return code === Code.Unavailable && !(cause instanceof ReplyError);
}

function unknownFormat(value: string, { newest }: FormatRange = ownFormats): FormatError {
  return new FormatError(
    `The data in Redis has format ${value}, and this version knows only up to ${newest}. Run a newer version of the service.`,
  );
}

/**
 * Makes a function that checks the format. Call it after each connection to a server: another version may have migrated
 * the data in the meantime. While Redis is not available, it checks nothing, because another connection follows.
 *
 * @param onUnusable called with the error if this process cannot use the data
 */
export function createFormatWatch(
  connection: Connection,
  formats: FormatRange,
  onUnusable: (error: FormatError) => void,
): () => void {
  let isDue = false;
  const checkWhileDue = singleFlight(async () => {
    try {
      while (isDue) {
        isDue = false;
        await connection.ready(readyMs);
        await openFormat(connection, formats);
      }
    } catch (error) {
      // The connection has reported any other error.
      if (error instanceof FormatError) onUnusable(error);
    }
  });
  return () => {
    isDue = true;
    void checkWhileDue();
  };
}

/** How long the check waits for the other servers of a cluster, in milliseconds. */
const readyMs = 5_000;
