/** The most entries of a list, and parameters of an entry, that are read. */
const maxEntries = 100;
const maxParameters = 20;

/**
 * Reads a field that lists what a client accepts, with weights (RFC 9110, section 12.4.2).
 *
 * @param field Accept or Accept-Encoding, as sent
 * @returns weights from 0 to 1 by what they are for, in lower case and without parameters; what is
 * malformed is left out, and so are entries after the first 100
 */
export function parseWeights(field: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const item of field.split(",", maxEntries)) {
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

/**
 * Chooses what a client likes best.
 *
 * @param offers what there is, the server's own favourite first: it decides between equals
 * @param weightOf the client's weight for an offer
 * @returns undefined when the client wants none of them
 */
export function chooseBest<T>(offers: readonly T[], weightOf: (offer: T) => number): T | undefined {
  let best: T | undefined;
  let bestWeight = 0;
  for (const offer of offers) {
    const weight = weightOf(offer);
    if (weight > bestWeight) {
      best = offer;
      bestWeight = weight;
    }
  }
  return best;
}
