import type { ChainableCommander } from "ioredis";
import type { Connection } from "./connection.ts";

/**
 * Sends several commands in one round trip. They are not atomic.
 *
 * @param fill adds the commands
 * @returns their replies, in order
 * @throws ConnectError unavailable when any command failed or was not answered in time
 */
export function runPipeline(
  { redis, guard }: Connection,
  fill: (pipeline: ChainableCommander) => void,
): Promise<unknown[]> {
  const pipeline = redis.pipeline();
  fill(pipeline);
  return guard(replies(pipeline));
}

/** ioredis reports the error of a command as its result: the promise is fulfilled all the same. */
async function replies(pipeline: ChainableCommander): Promise<unknown[]> {
  const { length } = pipeline;
  const results = (await pipeline.exec()) ?? [];
  if (results.length !== length) {
    throw new Error(`${results.length} replies to ${length} commands`);
  }
  return results.map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}
