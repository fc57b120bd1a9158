import type { Timeline } from "./events.ts";

/** What arrives at an event loop. Returns its CPU time in µs. */
type Input = () => number;

/** One thread with an event loop: a process of the service, or a Redis server. */
export interface EventLoop {
  /** Handles an input in the next tick. */
  arrive(input: Input): void;
  /** Runs a function when the current tick ends: it sends what the tick has produced. */
  afterTick(send: () => void): void;
  /** Returns the CPU time so far, in µs. */
  busyMicros(): number;
}

/**
 * Makes an event loop. A tick handles everything that has arrived before it, so a busy loop has larger batches.
 *
 * @param wakeMicros the CPU time of a tick that begins while the loop sleeps
 * @param finish runs at the end of the inputs of a tick. Returns its CPU time in µs
 */
export function createEventLoop(
  timeline: Timeline,
  wakeMicros: number,
  finish: () => number = () => 0,
): EventLoop {
  let inputs: Input[] = [];
  let sends: (() => void)[] = [];
  let isBusy = false;
  let busyMicros = 0;
  let tickEnds = 0;

  function tick(wake: number): void {
    isBusy = true;
    const handled = inputs;
    inputs = [];
    let micros = wake;
    for (const input of handled) micros += input();
    micros += finish();
    busyMicros += micros;
    tickEnds = timeline.now() + micros;
    timeline.at(tickEnds, end);
  }

  function end(): void {
    const sent = sends;
    sends = [];
    for (const send of sent) send();
    isBusy = false;
    if (inputs.length > 0) tick(0);
  }

  return {
    arrive(input) {
      inputs.push(input);
      if (!isBusy) tick(wakeMicros);
    },
    afterTick: (send) => void sends.push(send),
    busyMicros: () => busyMicros - Math.max(0, tickEnds - timeline.now()),
  };
}
