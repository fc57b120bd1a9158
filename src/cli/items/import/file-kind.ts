import { quoteIfHidden } from "../../../call/quote.ts";
import { usageError } from "../../command-error.ts";
import { standardStream } from "../../output/file-format.ts";

/** Number of bytes that {@link refuseOtherFiles} needs. */
export const kindBytes = 128;

const excel = "is an Excel workbook: save it as CSV";
const zip = "is a zip archive: extract the file in it first";
const compressed = (name: string) => `is compressed with ${name}: decompress it first`;
const gzip = (path: string) => {
  if (path === standardStream) return "is compressed with gzip: pipe it through zcat";
  const [, format = "csv"] = /\.(csv|ndjson|json)(?:\.gz)?$/i.exec(path) ?? [];
  return `is compressed with gzip: run \`zcat ${quoteIfHidden(path)} | inventory items import - --format ${format.toLowerCase()}\``;
};

/** What a file is, and what to do: for all paths, or for one. */
type Advice = string | ((path: string) => string);
type Kinds = readonly (readonly [RegExp, Advice])[];

const inZip = (text: string) => new RegExp(`^504b.*${Buffer.from(text).toString("hex")}`);
const ods = "is an OpenDocument spreadsheet: save it as CSV";

/** What files of other kinds begin with, in hexadecimal. */
const kinds: Kinds = [
  [/^1f8b/, gzip],
  [inZip("opendocument.spreadsheet"), ods],
  [inZip("[Content_Types]"), excel],
  [inZip("_rels/"), excel],
  [inZip("docProps/"), excel],
  [inZip("xl/"), excel],
  [/^504b(?:0304|0506|0708)/, zip],
  [/^d0cf11e0/, excel],
  [/^28b52ffd/, compressed("zstd")],
  [/^425a68/, compressed("bzip2")],
  [/^fd377a585a/, compressed("xz")],
  [/^(?:fffe|feff|(?!00)..00|00(?!00)..)/, "is UTF-16: save it as UTF-8"],
];

const extensions: Kinds = [
  [/\.t?gz$/i, gzip],
  [/\.xls[xmb]?$/i, excel],
  [/\.ods$/i, ods],
  [/\.zip$/i, zip],
  [/\.zst$/i, compressed("zstd")],
  [/\.bz2$/i, compressed("bzip2")],
  [/\.xz$/i, compressed("xz")],
];

/**
 * Refuses a file that has no plain text in UTF-8.
 *
 * @param start its first {@link kindBytes} bytes
 * @throws CommandError that says what the file is, and what to do
 */
export function refuseOtherFiles(path: string, start: Buffer): void {
  refuse(path, kinds, start.toString("hex"));
}

/** Does the same for the extension of a path, if nothing else says which format the file has. @throws CommandError */
export function refuseOtherExtensions(path: string): void {
  refuse(path, extensions, path);
}

/** Refuses to write plain text to a file whose extension says that it is something else. @throws CommandError */
export function refuseOtherOutput(path: string): void {
  if (!extensions.some(([extension]) => extension.test(path))) return;
  throw usageError(
    `${quoteIfHidden(path)}: the command writes plain text: choose a file such as stock.csv, and compress or convert it afterwards`,
  );
}

function refuse(path: string, known: Kinds, text: string): void {
  const [, advice] = known.find(([pattern]) => pattern.test(text)) ?? [];
  if (advice === undefined) return;
  const name = path === standardStream ? "standard input" : quoteIfHidden(path);
  throw usageError(`${name} ${typeof advice === "string" ? advice : advice(path)}`);
}
