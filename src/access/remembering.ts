/**
 * Remembers what was read of the latest texts. What can't be read is not remembered.
 *
 * @param most texts that are remembered; with one more, all are forgotten
 */
export function remembering<T>(read: (text: string) => T, most: number): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) {
      return before;
    }
    const value = read(text);
    if (value !== undefined) {
      if (known.size >= most) {
        known.clear();
      }
      known.set(text, value);
    }
    return value;
  };
}
