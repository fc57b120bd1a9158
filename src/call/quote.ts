/**
 * Shortens a text to a number of characters. A shortened text ends with an ellipsis and has no half of a character.
 *
 * @param most in UTF-16 code units
 */
export function abridge(text: string, most = 80): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most);
  const isCut = /[\uD800-\uDBFF]$/.test(start) && /[\uDC00-\uDFFF]/.test(text.charAt(most));
  return `${(isCut ? start.slice(0, -1) : start).toWellFormed()}…`;
}

/** Quotes a client's text for a message, shortened to 80 characters. */
export function quote(text: string): string {
  return JSON.stringify(abridge(text));
}
