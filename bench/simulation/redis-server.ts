import type { RedisCosts } from "./costs.ts";
import { createEventLoop, type EventLoop } from "./event-loop.ts";
import type { Timeline } from "./events.ts";

/** A script call, and how many entries of each kind it has. */
export interface ScriptCall {
  readonly decisions?: number;
  readonly changes?: number;
  readonly changesRead?: number;
}

/** A Redis primary. */
export interface SimulatedRedis {
  /**
   * Takes script calls that a process has written at once.
   *
   * @param reply is called when the replies arrive at the process
   */
  receive(calls: readonly ScriptCall[], reply: () => void): void;
  readonly loop: EventLoop;
}

/** Makes a primary. @param networkMicros the time from a process to it, and back, each */
export function createRedis(
  timeline: Timeline,
  costs: RedisCosts,
  networkMicros: number,
): SimulatedRedis {
  const loop = createEventLoop(timeline, costs.wake);
  const micros = (call: ScriptCall) =>
    costs.call +
    (call.decisions ?? 0) * costs.decision +
    (call.changes ?? 0) * costs.change +
    (call.changesRead ?? 0) * costs.changeRead;
  return {
    loop,
    receive(calls, reply) {
      timeline.at(timeline.now() + networkMicros, () =>
        loop.arrive(() => {
          loop.afterTick(() => timeline.at(timeline.now() + networkMicros, reply));
          return calls.reduce((sum, call) => sum + micros(call), costs.message);
        }),
      );
    },
  };
}
