/** Finds the first index for which a condition holds, and for all after it, by bisection; `end` when there is none. */
export function firstIndex(end: number, holds: (index: number) => boolean, begin = 0): number {
  let low = begin;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
