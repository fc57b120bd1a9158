/**
 * Finds the first index for which a condition holds by bisection. From there on it must hold for all indexes.
 *
 * @returns `end`, one more than the last index, when it holds for none
 */
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
