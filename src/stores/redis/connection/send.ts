import { setTimeout as pause } from "node:timers/promises";
import { ConnectError } from "@connectrpc/connect";
import type { Redis } from "ioredis";
import type { RedisNode } from "./node.ts";
import type { Calls } from "./operation.ts";
import { isPermissionError } from "./permissions.ts";
import type { ReplyDeadline } from "./reply-deadline.ts";
import type { Topology } from "./topology.ts";

/** Writes commands to a connection at once. Called again, with the reason `notRun`, only when no server has run them. */
export type Send<T> = (redis: Redis, notRun?: Error) => Promise<T>;

/** Commands of one slot. */
export interface Commands<T> {
  readonly slot: number;
  readonly send: Send<T>;
  /** Whether the commands make changes that replicas must have. */
  readonly isChange: boolean;
  readonly deadline: ReplyDeadline;
  /** The calls whose changes the commands make. */
  readonly changing: Calls;
  /** When a change that replicas must have was first written to its connection; undefined before. */
  sentAt: number | undefined;
  /** When the reply to that change arrived; undefined before. Its replicas may still be missing. */
  repliedAt: number | undefined;
}

/** Matches errors of commands that ioredis has not written, or that Redis has refused before their first change. */
const notRunPattern =
  /^(?:Stream isn't writeable|(?:ASK|BUSY|CLUSTERDOWN|DENIED|LOADING|MASTERDOWN|MISCONF|MOVED|NOAUTH|NOPERM|NOREPLICAS|NOSCRIPT|OOM|READONLY|TRYAGAIN) )/;

/** The highest number of redirections of the same commands. */
const maxRedirections = 8;

/** The pause before commands are sent again to a slot that is moving, in milliseconds. */
const tryAgainMs = 5;

/**
 * Sends commands to the server of their slot. Follows redirections, and sends a script in full to a server that does not
 * know its hash. In these cases no server has run the commands. After any other error they may have run, so they are not
 * sent again. See https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#redirection-and-resharding
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
  let asking: "ASKING" | undefined;
  let notRun: Error | undefined;
  /** What an error says when the time is over. */
  let cause: Error | undefined;
  let redirections = 0;
  for (;;) {
    const isReady = node.isReady() || (node.isNew() && (await node.ready(deadline.leftMs())));
    if (!isReady) throw notConnected(node);
    if (deadline.isOver()) throw cause ?? notConnected(node);
    try {
      return await sendTo(node, commands, asking, notRun);
    } catch (error) {
      if (!mayHaveRun(error, commands)) count(commands, -1);
      cause = error as Error;
      const [word, , address = ""] = error instanceof Error ? error.message.split(" ", 3) : [];
      switch (word) {
        // The server does not know the script with this hash. That is usual, and never the cause of a failure.
        case "NOSCRIPT":
          cause = deadline.error();
          break;
        // The slot is moving, and the keys are divided between two servers, or some do not exist.
        case "TRYAGAIN":
          await pause(tryAgainMs);
          node = topology.nodeOf(slot) ?? node;
          asking = undefined;
          break;
        // Another server has the slot; or the slot is moving, and another server has the keys already.
        case "MOVED":
        case "ASK": {
          redirections += 1;
          asking = word === "ASK" ? "ASKING" : undefined;
          const next = topology.redirect(asking ? undefined : slot, address, node);
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
  commands: Commands<T>,
  asking: "ASKING" | undefined,
  notRun: Error | undefined,
): Promise<T> {
  const { send, isChange, deadline } = commands;
  const sendOn = (redis: Redis) => {
    writeTogether(redis);
    // If it fails, the next command fails too.
    if (asking) redis.call("ASKING").catch(() => {});
    count(commands, 1);
    return send(redis, notRun);
  };
  if (!isChange || !node.commit) return sendOn(node.redis);
  return node.commit(async (redis) => {
    commands.sentAt ??= performance.now();
    const value = await sendOn(redis);
    commands.repliedAt = performance.now();
    return value;
  }, deadline);
}

/** Counts commands for the calls whose changes they make: 1 when they are written, -1 when Redis has not run them. */
function count({ changing }: Pick<Commands<unknown>, "changing">, by: 1 | -1): void {
  for (const call of changing) if (call?.record) call.record.changesSent += by;
}

/** Returns whether Redis may have run commands that have failed. A ConnectError of `send` means that it sent nothing. */
function mayHaveRun(error: unknown, { repliedAt }: Pick<Commands<unknown>, "repliedAt">): boolean {
  if (repliedAt !== undefined) return true;
  return !(
    error instanceof ConnectError ||
    (error instanceof Error && notRunPattern.test(error.message))
  );
}

/** Sends all commands of the running callback in one write, which costs this process and Redis less CPU time. */
function writeTogether({ stream }: Redis): void {
  if (!stream || stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
