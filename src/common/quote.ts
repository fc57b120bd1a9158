import { escapeHidden, quote } from "connect-gateway/call";

/** Adds the text that was sent to what it must be, so that hidden characters can be seen. */
export function withText(reason: string, text: string): string {
  const hint = /^-?0\d+$/.test(text) ? ". Remove the leading zeros" : "";
  return `${reason}, not ${quote(text)}${hint}`;
}

/** Quotes a text if it has characters that cannot be seen, or a space at an end. */
export function quoteIfHidden(text: string): string {
  return text.trim() === text && escapeHidden(text) === text
    ? text
    : escapeHidden(JSON.stringify(text));
}
