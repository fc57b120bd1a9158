import type { Redis } from "ioredis";
import type { ReplyDeadline } from "./reply-deadline.ts";

/** Makes a change, waits until the replicas have it, and returns its reply; throws an Error when too few have it in time. */
export type GroupCommit = <T>(
  send: (redis: Redis) => Promise<T>,
  deadline: ReplyDeadline,
) => Promise<T>;

/**
 * How much earlier than the deadline WAIT ends, in milliseconds, so that an error can say how many replicas have the change.
 * An idle server checks its timeouts every 100 ms (`hz 10`).
 */
const earlierMs = 120;

/** Changes that wait for the replicas together. */
interface Group {
  /** The longest time that a change of the group has left, in milliseconds. */
  leftMs: number;
  /** The number of replicas that have all changes of the group. */
  readonly acknowledged: Promise<number>;
}

/**
 * Makes a function that sends changes in groups. A group ends with one WAIT. Changes that arrive before the reply to WAIT
 * form the next group. If they were sent at once, the server could run them after their callers got a timeout.
 *
 * @param redis the connection of the changes. Nothing else is sent on it
 * @param replicas the number of replicas that must have a change; at least 1
 */
export function createGroupCommit(redis: Redis, replicas: number): GroupCommit {
  /** The group that changes can join, because its WAIT has not been sent. */
  let open: Group | undefined;
  /** Settles when WAIT of the previous group has its reply. */
  let waiting: Promise<unknown> | undefined;

  function openGroup(): Group {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const group = { leftMs: 1, acknowledged: promise };
    // After all changes of this event-loop tick.
    setImmediate(() => {
      open = undefined;
      // A change that had to wait for another group has less time.
      const waitMs = Math.ceil(Math.max(group.leftMs - earlierMs, group.leftMs / 4));
      const reply = redis.wait(replicas, waitMs);
      waiting = reply.then(resolve, reject).finally(() => {
        waiting = undefined;
      });
    });
    // Each caller awaits this promise, or throws the error of its own change first.
    promise.catch(() => {});
    return group;
  }

  return async (send, deadline) => {
    if (waiting) deadline.explain("the replicas did not confirm earlier changes in time");
    while (waiting) await waiting;
    if (deadline.isOver()) throw deadline.error();
    deadline.explain();
    const reply = send(redis);
    open ??= openGroup();
    const { acknowledged } = open;
    open.leftMs = Math.max(open.leftMs, deadline.leftMs());
    const value = await reply;
    deadline.explain(`fewer than ${replicas} replicas have confirmed the change in time`);
    const count = await acknowledged;
    if (count < replicas) throw new Error(`${count} of ${replicas} replicas have the change`);
    return value;
  };
}
