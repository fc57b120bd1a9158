/** The longest text that stays on one line, in characters. */
const longest = 60;

/**
 * Joins elements between brackets: on one line if they fit, otherwise one element a line.
 *
 * @param indent of a line
 * @param space between a bracket and the elements on one line
 */
export function bracketed(
  [open, close]: readonly [open: string, close: string],
  elements: readonly string[],
  indent: string,
  space = "",
): string {
  if (elements.length === 0) return open + close;
  const line = elements.join(", ");
  if (line.length <= longest && !line.includes("\n")) return open + space + line + space + close;
  const lines = elements.map((element) => `${indentLines(element, indent)},\n`).join("");
  return `${open}\n${lines}${close}`;
}

/** Indents all lines that are not empty. */
export function indentLines(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent);
}
