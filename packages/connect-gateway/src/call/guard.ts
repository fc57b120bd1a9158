/**
 * Node calls listeners and timers from its event loop. An error thrown by one of them has no caller, so node would end
 * the process. A guard turns it into an error of the request or connection that it belongs to.
 */

/** Guards all present and future listeners of an emitter, also those of node. @param onThrow gets the error, and `emit`'s arguments */
export function guardEmit<A extends unknown[]>(
  emitter: { emit(...args: A): boolean },
  onThrow: (error: unknown, args: A) => void,
): void {
  const { emit } = emitter;
  // Not assigned at once: V8 keeps a function literal that is assigned to a property, and what it refers to, until the
  // next major collection.
  const guardedEmit = (...args: A) => {
    try {
      return emit.call(emitter, ...args);
    } catch (error) {
      onThrow(error, args);
      return true;
    }
  };
  emitter.emit = guardedEmit;
}

/** Returns the result of a synchronous callback. @throws TypeError that names the callback when the result is a promise */
export function notPromise<T>(result: T, name: string): T {
  if (!(result instanceof Promise)) return result;
  result.catch(() => {});
  throw new TypeError(`${name} must not return a promise`);
}

/** Returns the result of a callback that makes a function. @throws TypeError that names the callback when it is anything else */
export function madeBy<T>(result: T, name: string): T {
  if (typeof notPromise(result, name) === "function") return result;
  throw new TypeError(`${name} must return a function`);
}

/**
 * Guards a callback of a timer, an AbortSignal, or another source that has no `emit`.
 *
 * @param onThrow receives the error that the callback throws, or that the promise that it returns rejects with
 */
export function guarded<A extends readonly unknown[]>(
  onThrow: (error: unknown) => void,
  callback: (...args: A) => unknown,
): (...args: A) => void {
  return (...args) => {
    try {
      const result = callback(...args);
      if (result instanceof Promise) result.catch(onThrow);
    } catch (error) {
      onThrow(error);
    }
  };
}
