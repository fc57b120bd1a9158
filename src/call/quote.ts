/** Longest text that is not shortened, in characters. */
const longest = 80;

/** Shortens a client's text to 80 characters. */
export function abridge(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** Quotes a client's text for a message, shortened to 80 characters. */
export function quote(text: string): string {
  return JSON.stringify(abridge(text));
}
