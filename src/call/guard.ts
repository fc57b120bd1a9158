/**
 * node calls listeners and timers from its event loop. An error that one of them throws has no caller to go to,
 * so node would end the process. A guard makes it the error of the request or connection concerned.
 */

/**
 * Guards all listeners of an emitter, present and future, including those that node registers.
 *
 * @param onThrow receives what a listener throws, and what was emitted: the event's name and its arguments
 */
export function guardEmit<A extends unknown[]>(
  emitter: { emit(...args: A): boolean },
  onThrow: (error: unknown, args: A) => void,
): void {
  const { emit } = emitter;
  emitter.emit = (...args) => {
    try {
      return emit.apply(emitter, args);
    } catch (error) {
      onThrow(error, args);
      return true;
    }
  };
}

/** Wraps a callback of a timer, of an AbortSignal, or of another source that has no `emit`. */
export function guarded<A extends readonly unknown[]>(
  onThrow: (error: unknown) => void,
  callback: (...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      callback(...args);
    } catch (error) {
      onThrow(error);
    }
  };
}
