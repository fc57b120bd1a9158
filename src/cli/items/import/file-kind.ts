import { advice, otherKindOf } from "../../../call/file-kind.ts";
import { quoteIfHidden } from "../../../call/quote.ts";
import { usageError } from "../../command-error.ts";
import { standardStream } from "../../output/file-format.ts";

const gzip = (path: string) => {
  if (path === standardStream) return "is compressed with gzip: pipe it through zcat";
  const [, format = "csv"] = /\.(csv|ndjson|json)(?:\.gz)?$/i.exec(path) ?? [];
  return `is compressed with gzip: run \`zcat ${quoteIfHidden(path)} | inventory items import - --format ${format.toLowerCase()}\``;
};

const extensions: readonly (readonly [RegExp, string])[] = [
  [/\.t?gz$/i, advice.gzip],
  [/\.xls[xmb]?$/i, advice.excel],
  [/\.ods$/i, advice.ods],
  [/\.zip$/i, advice.zip],
  [/\.zst$/i, advice.zstd],
  [/\.bz2$/i, advice.bzip2],
  [/\.xz$/i, advice.xz],
];

/**
 * Refuses a file that has no plain text in UTF-8.
 *
 * @param start its first {@link kindBytes} bytes
 * @throws CommandError that says what the file is, and what to do
 */
export function refuseOtherFiles(path: string, start: Buffer): void {
  refuse(path, otherKindOf(start));
}

/** Does the same for the extension of a path, if nothing else says which format the file has. @throws CommandError */
export function refuseOtherExtensions(path: string): void {
  refuse(path, extensions.find(([extension]) => extension.test(path))?.[1]);
}

/** Refuses to write plain text to a file whose extension says that it is something else. @throws CommandError */
export function refuseOtherOutput(path: string): void {
  if (!extensions.some(([extension]) => extension.test(path))) return;
  throw usageError(
    `${quoteIfHidden(path)}: the command writes plain text: choose a file such as stock.csv, and compress or convert it afterwards`,
  );
}

function refuse(path: string, kind: string | undefined): void {
  if (kind === undefined) return;
  const name = path === standardStream ? "standard input" : quoteIfHidden(path);
  throw usageError(`${name} ${kind === advice.gzip ? gzip(path) : kind}`);
}
