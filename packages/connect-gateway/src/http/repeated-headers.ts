import type { Exchange } from "./exchange/exchange.ts";

/** Headers that have one value. Node takes the first of several, or joins them. */
const single: readonly string[] = ["host", "authorization", "content-type", "idempotency-key"];

/** Headers that are lists (RFC 9110, section 5.3), of which node takes only the first over HTTP/2. */
const lists: readonly string[] = ["if-match", "if-none-match", "content-encoding"];

/**
 * Finds a header that must not be repeated and is. Joins repeated headers that are lists.
 *
 * @returns its name in lower case; undefined when there is none
 */
export function repeatedHeader({ headers, rawHeaders }: Exchange): string | undefined {
  for (const name of single) {
    if (headers[name] !== undefined && isRepeated(rawHeaders, name)) return name;
  }
  for (const name of lists) {
    if (headers[name] === undefined || !isRepeated(rawHeaders, name)) continue;
    const isValue = (_: string, at: number) => at % 2 === 1 && isNamed(rawHeaders[at - 1], name);
    headers[name] = rawHeaders.filter(isValue).join(", ");
  }
  return undefined;
}

function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isNamed(rawHeaders[at], name)) count += 1;
  return count > 1;
}

function isNamed(raw: string | undefined, name: string): boolean {
  return raw?.length === name.length && raw.toLowerCase() === name;
}
