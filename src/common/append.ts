/** Appends elements to an array. `push(...elements)` would overflow the stack at 125,000 elements. */
export function append<T>(array: T[], elements: Iterable<T>): void {
  for (const element of elements) array.push(element);
}
