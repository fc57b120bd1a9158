import { type ChangeReader, changeWaitMs, mostChangesAtOnce } from "../inventory/change-reader.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import { connected, connectRedis } from "./connection.ts";
import { createRedisHistory } from "./history.ts";
import { stockChangesKey } from "./keys.ts";
import { constantPatience } from "./patience.ts";

/** How much longer than it waits for changes Redis may take to answer, in milliseconds. */
const graceMs = 1_000;

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
  let last: StockChange | undefined;
  let isDoubtful = false;
  redis.on("close", () => {
    isDoubtful = true;
  });

  /** A Redis that has lost changes may have made others in their place: is the last one still there? */
  async function isSameStock(version: bigint): Promise<boolean> {
    if (last?.version !== version) return true;
    const [change] = (await changesSince(version - 1n, 1))?.changes ?? [];
    return change === undefined || isSameChange(change, last);
  }

  async function read(version: bigint): Promise<readonly StockChange[] | undefined> {
    const changes = (await changesSince(version, mostChangesAtOnce))?.changes;
    last = changes?.at(-1) ?? last;
    return changes;
  }

  return {
    async next(version) {
      await connected(connection, changeWaitMs);
      if (isDoubtful) {
        isDoubtful = false;
        if (!(await isSameStock(version))) return undefined;
      }
      const changes = await read(version);
      if (!changes || changes.length > 0) return changes;
      const id = `${version}-0`;
      await guard(redis.xread("COUNT", 1, "BLOCK", changeWaitMs, "STREAMS", stockChangesKey, id));
      return read(version);
    },
    close() {
      isClosed = true;
      redis.disconnect();
    },
  };
}

function isSameChange(a: StockChange, b: StockChange): boolean {
  return (
    a.petId === b.petId &&
    a.changedAt === b.changedAt &&
    a.quantityAfter === b.quantityAfter &&
    a.requestId === b.requestId
  );
}
