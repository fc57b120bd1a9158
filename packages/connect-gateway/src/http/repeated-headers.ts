import type { Exchange } from "./exchange/exchange.ts";

/** Headers that have one value. Node takes the first of several, or joins them. */
const single: readonly string[] = ["host", "authorization", "content-type", "idempotency-key"];

/** Headers that are lists (RFC 9110, section 5.3), of which node takes only the first over HTTP/2. */
const lists: readonly string[] = ["if-match", "if-none-match", "content-encoding"];

const longest = 16;

/** A bit for each of these names, by its length and first letter, so that names are rarely compared. */
const bits = new Uint8Array((longest + 1) << 5);
for (const [index, name] of [...single, ...lists].entries()) bits[placeOf(name)] = 1 << index;

function placeOf(name: string): number {
  // The last five bits of a letter do not depend on its case.
  return (name.length << 5) | (name.charCodeAt(0) & 0x1f);
}

/** Returns the name of a header that is repeated and must not be; undefined if there is none. Joins repeated lists. */
export function repeatedHeader(request: Exchange): string | undefined {
  const { rawHeaders } = request;
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length > longest) continue;
    const bit = bits[placeOf(name)] as number;
    if ((seen & bit) !== 0) return compareNames(request);
    seen |= bit;
  }
  return undefined;
}

/** Does the same as {@link repeatedHeader}, and takes more time. */
function compareNames({ headers, rawHeaders }: Exchange): string | undefined {
  const values = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    const before = values.get(name);
    const value = rawHeaders[at + 1] as string;
    if (before !== undefined && single.includes(name)) return name;
    const joined = before === undefined ? value : `${before}, ${value}`;
    values.set(name, joined);
    if (before !== undefined && lists.includes(name)) headers[name] = joined;
  }
  return undefined;
}
