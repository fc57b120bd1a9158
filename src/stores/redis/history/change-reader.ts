import {
  type ChangeReader,
  changeWaitMs,
  mostChangesAtOnce,
  type OnRevoked,
  type StockChange,
} from "../../stock-change.ts";
import { connectRedis } from "../connection/connection.ts";
import type { RedisSettings } from "../connection/settings.ts";
import { constantTimeBudget } from "../connection/time-budget.ts";
import { newestChangeKey, revocationsKey, stockChangesKey } from "../keys.ts";
import { loadScript } from "../scripts.ts";
import { readChangesAfter } from "./history.ts";

/** How long Redis may take to reply after the wait for changes, in milliseconds. */
const graceMs = 1_000;

/** The largest sequence number in the id of a stream entry. */
const lastNumber = "18446744073709551615";

const keys = [newestChangeKey, stockChangesKey, revocationsKey];

/** Reads the changes of the stock by a connection of its own, because a blocking read delays other commands. */
export function createRedisChangeReader(
  target: RedisSettings | string,
  onFailure: (error: unknown) => void,
  onRevoked: OnRevoked = () => {},
): ChangeReader {
  let isClosed = false;
  const report = (error: unknown) => {
    // Closing the connection fails the pending read, which is not worth a report.
    if (!isClosed) onFailure(error);
  };
  const timeBudget = constantTimeBudget(changeWaitMs + graceMs);
  const connection = connectRedis(target, { onFailure: report, newTimeBudget: () => timeBudget });
  const watchChanges = loadScript(connection, "watch-changes");
  /** The position in the revocations; empty before the first read. */
  let position = "";

  async function read(version: bigint): Promise<readonly StockChange[] | undefined> {
    const reply = await watchChanges(keys, [String(version), mostChangesAtOnce, position]);
    const [after, newPosition, revoked] = reply as readonly [unknown, string, string[]];
    position = newPosition;
    for (const id of revoked) onRevoked(id || undefined);
    return readChangesAfter(version, after)?.changes.slice(0, mostChangesAtOnce);
  }

  return {
    async next(version) {
      await connection.readyFor(stockChangesKey, changeWaitMs);
      const before = position;
      const found = await read(version);
      if (!found || found.length > 0 || position !== before) return found;
      const streams = [stockChangesKey, revocationsKey, `${version}-${lastNumber}`, position];
      await connection.run(stockChangesKey, (redis) =>
        redis.xread("COUNT", 1, "BLOCK", changeWaitMs, "STREAMS", ...streams),
      );
      return read(version);
    },
    close() {
      isClosed = true;
      connection.disconnect();
    },
  };
}
