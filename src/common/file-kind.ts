/** Number of bytes at the start of a file that {@link otherKindOf} needs. */
export const kindBytes = 128;

/** What a file is if it is no plain text in UTF-8, and what to do. The subject is the file. */
export const advice = {
  excel: "is an Excel workbook: save it as CSV",
  ods: "is an OpenDocument spreadsheet: save it as CSV",
  zip: "is a zip archive: extract the file in it first",
  gzip: "is compressed with gzip: decompress it first",
  zstd: "is compressed with zstd: decompress it first",
  bzip2: "is compressed with bzip2: decompress it first",
  xz: "is compressed with xz: decompress it first",
  utf16: "is UTF-16: save it as UTF-8",
} as const;

const hexOf = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const inZip = (text: string) => new RegExp(`^504b.*${hexOf(new TextEncoder().encode(text))}`);

/** What files of other kinds begin with, in hexadecimal. */
const starts: readonly (readonly [RegExp, string])[] = [
  [/^1f8b/, advice.gzip],
  [inZip("opendocument.spreadsheet"), advice.ods],
  [inZip("[Content_Types]"), advice.excel],
  [inZip("_rels/"), advice.excel],
  [inZip("docProps/"), advice.excel],
  [inZip("xl/"), advice.excel],
  [/^504b(?:0304|0506|0708)/, advice.zip],
  [/^d0cf11e0/, advice.excel],
  [/^28b52ffd/, advice.zstd],
  [/^425a68/, advice.bzip2],
  [/^fd377a585a/, advice.xz],
  [/^(?:fffe|feff|(?!00)..00|00(?!00)..)/, advice.utf16],
];

/** Returns what a file is, and what to do; undefined if it can be plain text. @param start its first {@link kindBytes} bytes */
export function otherKindOf(start: Uint8Array): string | undefined {
  const hex = hexOf(start);
  return starts.find(([pattern]) => pattern.test(hex))?.[1];
}
