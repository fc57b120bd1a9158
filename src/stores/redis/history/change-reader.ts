import { type ChangeReader, changeWaitMs, mostChangesAtOnce } from "../../stock-change.ts";
import { connectRedis } from "../connection/connection.ts";
import type { RedisSettings } from "../connection/settings.ts";
import { constantTimeBudget } from "../connection/time-budget.ts";
import { stockChangesKey } from "../keys.ts";
import { createRedisHistory } from "./history.ts";

/** How long Redis may take to reply after the wait for changes, in milliseconds. */
const graceMs = 1_000;

/** The largest sequence number in the id of a stream entry. */
const lastNumber = "18446744073709551615";

/**
 * Reads the changes of the stock in Redis. It uses a connection of its own, because a blocking read delays all other
 * commands of a connection. The parameters are those of {@link connectRedis}.
 */
export function createRedisChangeReader(
  target: RedisSettings | string,
  onFailure: (error: unknown) => void,
): ChangeReader {
  let isClosed = false;
  const reportFailure = (error: unknown) => {
    // Closing the connection fails the pending read, which is not worth a report.
    if (!isClosed) onFailure(error);
  };
  const timeBudget = constantTimeBudget(changeWaitMs + graceMs);
  const connection = connectRedis(target, {
    onFailure: reportFailure,
    newTimeBudget: () => timeBudget,
  });
  const { changesSince } = createRedisHistory(connection);

  return {
    async next(version) {
      await connection.readyFor(stockChangesKey, changeWaitMs);
      const read = async () => (await changesSince(version, mostChangesAtOnce))?.changes;
      const changes = await read();
      if (!changes || changes.length > 0) return changes;
      const id = `${version}-${lastNumber}`;
      await connection.run(stockChangesKey, (redis) =>
        redis.xread("COUNT", 1, "BLOCK", changeWaitMs, "STREAMS", stockChangesKey, id),
      );
      return read();
    },
    close() {
      isClosed = true;
      connection.disconnect();
    },
  };
}
