import type { ProcessCosts } from "./costs.ts";
import { createEventLoop, type EventLoop } from "./event-loop.ts";
import type { Timeline } from "./events.ts";
import type { ScriptCall, SimulatedRedis } from "./redis-server.ts";

/** A request: it reads the list, or changes an item. */
export interface SimulatedRequest {
  readonly kind: "read" | "update";
  /** The partition of its account. */
  readonly partition: number;
  readonly arrivedAt: number;
}

/** The stock that all processes share. */
export interface SimulatedStock {
  readonly redis: SimulatedRedis;
  /** The number of changes that have been made. */
  changes: number;
}

/** Where a process sends its script calls. */
export interface Servers {
  /** Returns the number of the group whose decisions share a call: the partition, or always the same on a single Redis. */
  groupOf(partition: number): number;
  redisOf(group: number): SimulatedRedis;
  readonly stock: SimulatedStock;
}

/** Most decisions of a script call, as in src/stores/redis/admission/decision.ts. */
const mostDecisions = 100;

/** Most changes of a script call, as in src/stores/redis/stock/change-script.ts. */
export const mostChanges = 50;

/** A process of the service. */
export interface SimulatedProcess {
  receive(request: SimulatedRequest): void;
  readonly loop: EventLoop;
}

/**
 * Makes a process. A read sends a decision and a check of the cached list in the same tick, and responds when both
 * replies are there. The check reads all changes since the one before. An update sends its change when it is admitted.
 *
 * @param respond is called when the response to a request is sent
 */
export function createProcess(
  timeline: Timeline,
  costs: ProcessCosts,
  { groupOf, redisOf, stock }: Servers,
  respond: (request: SimulatedRequest) => void,
): SimulatedProcess {
  const decisions = new Map<number, SimulatedRequest[]>();
  let reads: SimulatedRequest[] = [];
  let updates: SimulatedRequest[] = [];
  const waiting = new Map<SimulatedRequest, number>();
  let changesSeen = 0;
  let changesToApply = 0;
  const loop = createEventLoop(timeline, costs.wake, flush);

  function settle(request: SimulatedRequest): number {
    const left = (waiting.get(request) ?? 0) - 1;
    waiting.set(request, left);
    if (left > 0) return 0;
    waiting.delete(request);
    loop.afterTick(() => respond(request));
    return costs[request.kind] / 2;
  }

  function admitted(request: SimulatedRequest): number {
    if (request.kind === "update") updates.push(request);
    return costs.decision + settle(request);
  }

  /** The replies of a node, and what to do with them. */
  interface Written {
    readonly calls: ScriptCall[];
    readonly replies: (() => number)[];
  }

  /** Writes the script calls of the tick. @returns their CPU time */
  function flush(): number {
    const written = new Map<SimulatedRedis, Written>();
    const send = (redis: SimulatedRedis, call: ScriptCall, reply: () => number) => {
      const node = written.getOrInsertComputed(redis, () => ({ calls: [], replies: [] }));
      node.calls.push(call);
      node.replies.push(reply);
    };
    const sendAll = (
      redis: SimulatedRedis,
      all: readonly SimulatedRequest[],
      atOnce: number,
      callOf: (count: number) => ScriptCall,
      settleOne: (request: SimulatedRequest) => number,
    ) => {
      for (let at = 0; at < all.length; at += atOnce) {
        const batch = all.slice(at, at + atOnce);
        send(redis, callOf(batch.length), () =>
          batch.reduce((sum, one) => sum + settleOne(one), 0),
        );
      }
    };
    const readChanges = () => {
      const changesRead = stock.changes - changesSeen;
      changesSeen = stock.changes;
      changesToApply += changesRead;
      return { changesRead };
    };
    for (const [group, batch] of decisions) {
      sendAll(redisOf(group), batch, mostDecisions, (count) => ({ decisions: count }), admitted);
    }
    sendAll(stock.redis, reads, reads.length, readChanges, settle);
    sendAll(
      stock.redis,
      updates,
      mostChanges,
      (count) => ({ changes: count }),
      (request) => {
        stock.changes += 1;
        return settle(request);
      },
    );
    decisions.clear();
    reads = [];
    updates = [];
    let micros = changesToApply * costs.changeRead;
    changesToApply = 0;
    for (const [redis, { calls, replies }] of written) {
      micros += costs.message + calls.length * costs.call;
      loop.afterTick(() =>
        redis.receive(calls, () =>
          loop.arrive(() => replies.reduce((sum, reply) => sum + reply(), 0)),
        ),
      );
    }
    return micros;
  }

  return {
    loop,
    receive(request) {
      loop.arrive(() => {
        const group = groupOf(request.partition);
        decisions.getOrInsertComputed(group, () => []).push(request);
        if (request.kind === "read") reads.push(request);
        waiting.set(request, 2);
        return costs[request.kind] / 2;
      });
    },
  };
}
