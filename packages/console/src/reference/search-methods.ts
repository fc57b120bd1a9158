import { intents } from "./intents.ts";
import type { Method, Service } from "./model.ts";

/** A method that a search has found. */
export interface Found {
  readonly method: Method;
  /** The route of its page. */
  readonly route: string;
}

/**
 * Finds the methods whose name, path, summary, intents or errors contain every word of a text: `reserve`, `409`,
 * `STOCK_TOO_SMALL`. Those with the text in the name come first, then those with it in the path, and so on.
 */
export function searchMethods(services: readonly Service[], text: string): readonly Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const ranked = services.flatMap(({ name, methods }) =>
    methods.flatMap((method) => {
      const rank = rankOf(method, words);
      return rank < 0 ? [] : [{ rank, method, route: `/${name}/${method.name}` }];
    }),
  );
  return ranked.sort((a, b) => a.rank - b.rank);
}

/** Returns the number of parts of a method, from the name on, that are needed to find all words; -1 if not all are there. */
function rankOf({ name, calls }: Method, words: readonly string[]): number {
  const errors = calls.flatMap(({ responses }) => responses);
  const parts = [
    name,
    calls.map(({ path }) => path).join(" "),
    calls[0]?.summary ?? "",
    intents[name] ?? "",
    errors.map(({ status, reasons }) => [status, ...reasons].join(" ")).join(" "),
  ];
  return parts.findIndex((_, at) => {
    const searched = parts
      .slice(0, at + 1)
      .join(" ")
      .toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}
