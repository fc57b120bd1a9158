import { advice, otherKindOf } from "../../../common/file-kind.ts";
import { quoteIfHidden } from "../../../common/quote.ts";
import { usageError } from "../../command-error.ts";
import { standardStream } from "../../output/file-format.ts";

/** Returns the command that reads standard input, for a file that is compressed with gzip. */
export type CommandFor = (path: string) => string;

/** Returns the command that imports standard input in the format of a file. */
const importCommand: CommandFor = (path) => {
  const [, format = "csv"] = /\.(csv|ndjson|json)(?:\.gz)?$/i.exec(path) ?? [];
  return `inventory items import - --format ${format.toLowerCase()}`;
};

function gzip(path: string, commandFor: CommandFor): string {
  if (path === standardStream) return "is compressed with gzip: pipe it through zcat";
  return `is compressed with gzip: run \`zcat ${quoteIfHidden(path)} | ${commandFor(path)}\``;
}

/** Refuses a file that has no plain text in UTF-8. @param start its first {@link kindBytes} bytes @throws CommandError */
export function refuseOtherFiles(path: string, start: Buffer, commandFor = importCommand): void {
  const kind = otherKindOf(start);
  if (kind === undefined) return;
  const name = path === standardStream ? "standard input" : quoteIfHidden(path);
  throw usageError(`${name} ${kind === advice.gzip ? gzip(path, commandFor) : kind}`);
}

/** Refuses to write plain text to a file whose extension says that it is something else. @throws CommandError */
export function refuseOtherOutput(path: string): void {
  if (!/\.(?:t?gz|xls[xmb]?|ods|zip|zst|bz2|xz)$/i.test(path)) return;
  throw usageError(
    `${quoteIfHidden(path)}: the command writes plain text: choose a file such as stock.csv, and compress or convert it afterwards`,
  );
}
