import { printable } from "./printable.ts";

/** Formats rows as CSV (RFC 4180) with a header. Lines end with a line feed. */
export function csvText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => `${row.map(quoted).join(",")}\n`).join("");
}

/** Returns the name of a CSV column, in camel case as in JSON: `PER MINUTE` is `perMinute`. */
export function columnName(title: string): string {
  return title.toLowerCase().replace(/ ([a-z])/g, (_, first: string) => first.toUpperCase());
}

/**
 * Returns the text of a CSV cell. An apostrophe precedes a text that a spreadsheet would run as a formula, because
 * callers choose names and notes (https://owasp.org/www-community/attacks/CSV_Injection).
 */
export function csvCell(value: string): string {
  // Text that looks like an escaped character gets an escaped backslash, so that it can be read again.
  const text = printable(value.replace(/\\(?=u\{[\da-f]+\})/g, "\\u{5c}"));
  return /^'*[=+\-@＝＋－＠]/.test(text) && !/^[+-]?\d+(?:\.\d+)?$/.test(text) ? `'${text}` : text;
}

/** Returns the value of which {@link csvCell} made a text. Other texts remain as they are. */
export function valueOfCell(text: string): string {
  const escapes = /\\u\{([\da-f]{1,5}|10[\da-f]{4})\}/g;
  return text.replace(/^'(?='*[=+\-@＝＋－＠])/, "").replace(escapes, (whole, hex: string) => {
    const character = String.fromCodePoint(Number.parseInt(hex, 16));
    const isEscaped = character === "\\" || printable(character) === whole;
    return isEscaped && character.isWellFormed() ? character : whole;
  });
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
