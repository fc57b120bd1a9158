/** Returns the value of a key, made at the first call. As `getOrInsertComputed` of Node 26, but `undefined` is not kept. */
export function getOrInsert<K, V>(
  map: Pick<Map<K, V>, "get"> & { set(key: K, value: V): unknown },
  key: K,
  make: (key: K) => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make(key);
  map.set(key, value);
  return value;
}
