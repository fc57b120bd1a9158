/** Reads JSON. Integers that a double cannot hold become bigints. */
export function parseExactly(text: string): unknown {
  const exact = (_: string, value: unknown, { source }: { source?: string }) =>
    source !== undefined && /^-?\d+$/.test(source) && !Number.isSafeInteger(value)
      ? BigInt(source)
      : value;
  return (JSON.parse as (text: string, reviver: typeof exact) => unknown)(text, exact);
}
