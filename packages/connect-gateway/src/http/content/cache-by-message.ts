import { getOrInsert } from "../../call/get-or-insert.ts";

/**
 * Wraps `make` with a cache. A frozen message cannot change, so its result is cached for as long as the message itself
 * is in memory. In this way, a large response that is sent often is encoded once.
 *
 * @param make may return a promise, which all callers share until it settles. A rejection is not cached
 */
export function cacheIfFrozen<M extends object, T>(make: (message: M) => T): (message: M) => T {
  const cache = new WeakMap<M, T>();
  const makeAndCache = (message: M) => {
    const made = make(message);
    if (made instanceof Promise) {
      made.then(
        (value) => cache.set(message, value),
        () => cache.delete(message),
      );
    }
    return made;
  };
  return (message) =>
    Object.isFrozen(message) ? getOrInsert(cache, message, makeAndCache) : make(message);
}
