/**
 * Remembers what was made of the latest keys. Where nothing was, that is not remembered.
 *
 * @param most keys that are remembered; with one more, all are forgotten
 */
export function remembering<K extends string | number, T>(
  make: (key: K) => T,
  most: number,
): (key: K) => T {
  const known = new Map<K, T>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) {
      return before;
    }
    const value = make(key);
    if (value !== undefined) {
      if (known.size >= most) {
        known.clear();
      }
      known.set(key, value);
    }
    return value;
  };
}
