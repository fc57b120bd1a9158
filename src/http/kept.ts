/**
 * Makes something of a message. One that is frozen is not going to change, so what was made of it is kept
 * for as long as the message is: services can hold on to a large answer that way.
 */
export function keptIfFrozen<M extends object, T>(make: (message: M) => T): (message: M) => T {
  const kept = new WeakMap<M, T>();
  return (message) =>
    Object.isFrozen(message) ? kept.getOrInsertComputed(message, make) : make(message);
}
