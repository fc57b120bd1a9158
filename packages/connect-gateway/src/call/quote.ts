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

/** Quotes a client's text for a message, shortened to 80 characters. Characters that cannot be seen are escaped. */
export function quote(text: string): string {
  return escapeHidden(JSON.stringify(abridge(text)));
}

/** Characters that cannot be seen, other than the space: controls, marks of direction, other spaces, fillers. */
const hidden = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** Replaces characters that cannot be seen with their escapes in JSON, such as `\u200e`. */
export function escapeHidden(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.replace(hidden, (character) => character.split("").map(escaped).join(""));
}
