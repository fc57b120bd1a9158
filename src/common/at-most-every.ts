/** Wraps a function so that it is called at most once in a time. Calls in between do nothing. @param ms the time, in milliseconds */
export function atMostEvery<T extends readonly unknown[]>(
  ms: number,
  call: (...values: T) => void,
): (...values: T) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (...values) => {
    const now = performance.now();
    if (now - last < ms) return;
    last = now;
    call(...values);
  };
}
