/**
 * Wraps a function with a cache of its results. The result `undefined` is not cached.
 *
 * @param maxKeys the size of the cache; a further key empties it first
 */
export function memoize<K extends string | number, T>(
  make: (key: K) => T,
  maxKeys: number,
): (key: K) => T {
  const memoized = new Map<K, T>();
  return (key) => {
    const before = memoized.get(key);
    if (before !== undefined) return before;
    const value = make(key);
    if (value !== undefined) {
      if (memoized.size >= maxKeys) memoized.clear();
      memoized.set(key, value);
    }
    return value;
  };
}
