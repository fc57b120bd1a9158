import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import { isPermissionError } from "../permissions.ts";
import type { RedisNode } from "./node.ts";
import type { ReplyDeadline } from "./reply-deadline.ts";
import type { Topology } from "./topology.ts";

/**
 * Writes commands to a connection, without waiting in between. It is called again only when no server has run them, with
 * the reason `notRun`.
 */
export type Send<T> = (redis: Redis, notRun?: Error) => Promise<T>;

/** Commands of one slot. */
export interface Commands<T> {
  readonly slot: number;
  readonly send: Send<T>;
  /** Whether the commands make changes that replicas must have. */
  readonly isChange: boolean;
  readonly deadline: ReplyDeadline;
}

/** The highest number of redirections of the same commands. */
const maxRedirections = 8;

/** The pause before commands are sent again to a slot that is moving, in milliseconds. */
const tryAgainMs = 5;

/**
 * Sends commands to the server of their slot. Follows redirections, and sends a script in full to a server that does
 * not know its hash. In these cases no server has run the commands. After any other error they may have run, so they
 * are not sent again. See the Redis Cluster specification,
 * https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#redirection-and-resharding
 *
 * @param first the server that has the slot
 * @throws the error of the last attempt
 */
export async function sendUntilRun<T>(
  topology: Topology,
  first: RedisNode,
  commands: Commands<T>,
): Promise<T> {
  const { slot, deadline } = commands;
  let node = first;
  let isAsking = false;
  let notRun: Error | undefined;
  let redirections = 0;
  for (;;) {
    const isReady = node.isReady() || (node.isNew() && (await node.ready(deadline.leftMs())));
    if (!isReady) throw notConnected(node);
    if (deadline.isOver()) throw notRun ?? notConnected(node);
    try {
      return await sendTo(node, commands, isAsking, notRun);
    } catch (error) {
      const [word, , address = ""] = error instanceof Error ? error.message.split(" ", 3) : [];
      switch (word) {
        // The server does not know the script with this hash.
        case "NOSCRIPT":
          break;
        // The slot is moving, and the keys are divided between two servers, or some do not exist.
        case "TRYAGAIN":
          await pause(tryAgainMs);
          node = topology.nodeOf(slot) ?? node;
          isAsking = false;
          break;
        // Another server has the slot; or the slot is moving, and another server has the keys already.
        case "MOVED":
        case "ASK": {
          redirections += 1;
          isAsking = word === "ASK";
          const next = topology.redirect(isAsking ? undefined : slot, address, node);
          if (!next || redirections > maxRedirections) throw error;
          node = next;
          break;
        }
        default:
          if (isPermissionError(error)) void node.recheck();
          throw error;
      }
      notRun = error as Error;
    }
  }
}

/** Says why commands cannot be sent to a server. */
export function notConnected(node: RedisNode): Error {
  return node.failure() ?? new Error(`no connection to ${node.address}`);
}

function sendTo<T>(
  node: RedisNode,
  { send, isChange, deadline }: Commands<T>,
  isAsking: boolean,
  notRun: Error | undefined,
): Promise<T> {
  const sendOn = (redis: Redis) => {
    writeTogether(redis);
    // If it fails, the next command fails too.
    if (isAsking) redis.call("ASKING").catch(() => {});
    return send(redis, notRun);
  };
  return isChange && node.commit ? node.commit(sendOn, deadline) : sendOn(node.redis);
}

/** Sends all commands of the running callback in one write, which costs this process and Redis less CPU time. */
function writeTogether({ stream }: Redis): void {
  if (!stream || stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
