/** Longest delay of a timer in node, in milliseconds: 24 days. Node takes a longer one for 1 ms. */
export const longestTimer = 2 ** 31 - 1;

/** Like `setTimeout`, but a delay of more than {@link longestTimer}, such as Infinity, never ends. A negative one is over. */
export function startTimer(callback: () => void, ms: number): NodeJS.Timeout | undefined {
  return ms <= longestTimer ? setTimeout(callback, Math.max(1, Math.ceil(ms))) : undefined;
}
