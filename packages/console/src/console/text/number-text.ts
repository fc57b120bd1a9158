const numbers = new Intl.NumberFormat("en-US");

/** Returns a whole number with thousands separators: `12,345`. Exact for every int64. */
export function numberText(value: number | bigint): string {
  return numbers.format(value);
}

const signed = new Intl.NumberFormat("en-US", { signDisplay: "exceptZero" });

/** Returns a difference with its sign: `+1,200`, `-3`. */
export function signedText(difference: number): string {
  return signed.format(difference);
}

/** Returns a count with its noun: `1 key`, `2 keys`. */
export function countText(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${numberText(count)} ${Number(count) === 1 ? noun : plural}`;
}
