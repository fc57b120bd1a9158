import { setTimeout as pause } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { singleFlight } from "connect-gateway/call";
import { ReplyError } from "ioredis";
import { type Connection, othersMs } from "./connection/connection.ts";
import { formatKey } from "./keys.ts";

/** The number of the format of the stored data. A process uses only data of this format. */
export const dataFormat = 1;

/** The data in Redis has a format that this process cannot use. The message says what to do. */
export class FormatError extends Error {
  override name = "FormatError";
}

/** The value of the key while data is restored, followed by the id of the restore. */
export const restoringPrefix = "restoring ";

/**
 * Reads which format the data has: null without data, or if a running process has written data after all of it was removed.
 * It begins with {@link restoringPrefix} if a restore has not ended, or was interrupted. Throws ConnectError unavailable.
 */
export function readFormat(connection: Connection): Promise<string | null> {
  return connection.run(formatKey, (redis) => redis.get(formatKey));
}

/** Checks that the data can be used. Writes the format if there is none. @throws ConnectError unavailable; FormatError */
export async function openFormat(connection: Connection): Promise<void> {
  const stored = await readFormat(connection);
  if (stored === null) {
    // Another process may be the first.
    await connection.change(formatKey, (redis) => redis.set(formatKey, dataFormat, "NX"));
    return openFormat(connection);
  }
  if (stored.startsWith(restoringPrefix)) {
    throw new FormatError(
      "The data in Redis is an incomplete restore. Wait for it, or run `inventory restore` with the file again.",
    );
  }
  if (stored !== String(dataFormat)) {
    throw new FormatError(
      `The data in Redis has format ${stored}, and this version uses format ${dataFormat}. Run the version of the service that wrote the data.`,
    );
  }
}

/** The time between two attempts to open the format, in milliseconds. */
const retryMs = 50;

/**
 * Like {@link openFormat}, but tries again while Redis does not reply, as when it forks to write a snapshot.
 *
 * @param timeoutMs the longest time in which another attempt begins, in milliseconds
 * @throws ConnectError unavailable, at once when Redis refuses a command; FormatError like {@link openFormat}
 */
export async function openFormatWithin(connection: Connection, timeoutMs: number): Promise<void> {
  const endsAt = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await openFormat(connection);
    } catch (error) {
      const { code, cause } = ConnectError.from(error);
      const isRefused = code !== Code.Unavailable || cause instanceof ReplyError;
      if (isRefused || performance.now() + retryMs >= endsAt) throw error;
      await pause(retryMs);
    }
  }
}

/** Makes a function that checks the format after a connection: a restore or another version may have replaced the data. */
export function createFormatWatch(
  connection: Connection,
  onUnusable: (error: FormatError) => void,
): () => void {
  let isDue = false;
  const checkWhileDue = singleFlight(async () => {
    try {
      while (isDue) {
        isDue = false;
        await connection.ready(othersMs);
        await openFormat(connection);
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
