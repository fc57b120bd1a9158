/**
 * Makes something of a message. One that is frozen is not going to change, so what was made of it is kept
 * for as long as the message is: services can hold on to a large answer that way.
 *
 * @param make what it makes may be a promise: all who ask until it is settled wait for the same one. A
 * rejection is not kept
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
