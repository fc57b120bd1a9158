/** Most entries of a header, and most parameters of an entry, that are read. */
const maxEntries = 100;
const maxParameters = 20;

/**
 * Reads a header with weights (RFC 9110, section 12.4.2).
 *
 * @param header the value of Accept or Accept-Encoding
 * @returns the weight of each entry, from 0 to 1, by the entry in lower case and without parameters. Malformed entries
 * and entries after the first 100 are left out
 */
export function parseWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.split(",", maxEntries)) {
    const [value = "", ...parameters] = item
      .split(";", 1 + maxParameters)
      .map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    if (value !== "" && /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality)) {
      weights.set(value, Number(quality));
    }
  }
  return weights;
}

/** Returns the offer with the highest weight, the first of several; undefined when the client accepts none. */
export function chooseBest<T>(offers: readonly T[], weightOf: (offer: T) => number): T | undefined {
  const best = offers.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a));
  return weightOf(best) > 0 ? best : undefined;
}
