/** Returns a function that makes a value at its first call, and returns the same value at each further one. */
export function once<T extends object>(make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
