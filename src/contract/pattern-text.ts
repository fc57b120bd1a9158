const accountId = "[0-9a-hjkmnp-tv-z]{12}";
const accountIdText = "must be an account id: 12 digits and lower-case letters";

const badInNames = "\\x00-\\x1f\\x7f-\\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069";
const spaces = " \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000";
const edge = `[^${spaces}${badInNames}]`;
const sku = "[!-~]([ -~]*[!-~])?";
const skuText = "must have only printable ASCII characters, and no space at either end";

/** What a text must be, by the regular expression in `rules.v1.bounds`, which callers need not read. */
const texts: ReadonlyMap<string, string> = new Map([
  [accountId, accountIdText],
  [`(${accountId})?`, accountIdText],
  ["[0-9a-hjkmnp-tv-z]{20}", "must be a key id: 20 digits and lower-case letters"],
  [
    "([.]{0,2}[A-Za-z0-9_~-]|[.]{3})[A-Za-z0-9._~-]*",
    "must have only letters, digits, dots, underscores, tildes and hyphens, and not be . or ..",
  ],
  ["[!-~]*", "must have only visible ASCII characters, without spaces"],
  [
    `(${edge}([^${badInNames}]*${edge})?)?`,
    "must have no control characters, no marks of writing direction, and no space at either end",
  ],
  [sku, skuText],
  [`(${sku})?`, skuText],
  ["(0|[1-9][0-9]{0,17})?", "must be a version that this service has sent"],
]);

/** Says what a text must be. @param pattern a regular expression: one in a proto file, or words with a bar between */
export function patternText(pattern: string): string | undefined {
  const isWords = /^[a-z:|]+$/.test(pattern);
  return isWords ? `must be one of ${pattern.replaceAll("|", ", ")}` : texts.get(pattern);
}
