/**
 * Wraps `make` with a cache. A frozen message cannot change, so its result is cached for as long as the message
 * itself is in memory. A service can keep a large response encoded that way.
 *
 * @param make may return a promise: all callers wait for the same one until it settles. A rejection is not
 * cached
 */
export function keptIfFrozen<M extends object, T>(make: (message: M) => T): (message: M) => T {
  const kept = new WeakMap<M, T>();
  const makeAndKeep = (message: M) => {
    const made = make(message);
    if (made instanceof Promise) {
      made.then(
        (value) => kept.set(message, value),
        () => kept.delete(message),
      );
    }
    return made;
  };
  return (message) =>
    Object.isFrozen(message) ? kept.getOrInsertComputed(message, makeAndKeep) : make(message);
}
