import { type ChangeReader, changeWaitMs, mostChangesAtOnce } from "../inventory/change-reader.ts";
import { connected, connectRedis } from "./connection.ts";
import { createRedisHistory } from "./history.ts";
import { stockChangesKey } from "./keys.ts";
import { constantPatience } from "./patience.ts";

/** How much longer than it waits for changes Redis may take to answer, in milliseconds. */
const graceMs = 1_000;

/** The last number that an entry of the stream can have. */
const lastNumber = "18446744073709551615";

/**
 * Reads the changes of the stock in Redis, on a connection of its own: one that waits can't be used for
 * anything else.
 *
 * @param url redis:// or rediss://
 * @param onFailure told of every failure to connect, and of every command that failed
 */
export function createRedisChangeReader(
  url: string,
  onFailure: (error: unknown) => void,
): ChangeReader {
  let isClosed = false;
  const tellFailure = (error: unknown) => {
    // What was waiting when the connection was closed on purpose is no failure.
    if (!isClosed) onFailure(error);
  };
  const connection = connectRedis(url, tellFailure, constantPatience(changeWaitMs + graceMs));
  const { redis, guard } = connection;
  const { changesSince } = createRedisHistory(connection);

  return {
    async next(version) {
      await connected(connection, changeWaitMs);
      const read = async () => (await changesSince(version, mostChangesAtOnce))?.changes;
      const changes = await read();
      if (!changes || changes.length > 0) return changes;
      const id = `${version}-${lastNumber}`;
      await guard(redis.xread("COUNT", 1, "BLOCK", changeWaitMs, "STREAMS", stockChangesKey, id));
      return read();
    },
    close() {
      isClosed = true;
      redis.disconnect();
    },
  };
}
