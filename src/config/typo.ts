/** Names up to this length may have one typo, longer ones two. */
const longestWithOneTypo = 12;

/** Whether a name differs from another one by few letters: changed, missing, added or swapped ones, in any case. */
export function isTypoOf(name: string, meant: string): boolean {
  const most = meant.length > longestWithOneTypo ? 2 : 1;
  if (name === meant || Math.abs(name.length - meant.length) > most) return false;
  return distance(name.toUpperCase(), meant) <= most;
}

/** The number of edits between two texts: insertions, deletions, substitutions and swaps of neighbors. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substituted = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = isSwap(a, b, row, column) ? at(beforeLast, column - 2) + 1 : substituted;
      const edited = Math.min(at(last, column), at(current, column - 1)) + 1;
      current.push(Math.min(substituted, swapped, edited));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function isSwap(a: string, b: string, row: number, column: number): boolean {
  return row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? Number.POSITIVE_INFINITY;
}
