import { jsonLines, readJsonLines } from "./json-lines.ts";
import { openNameless } from "./nameless-file.ts";

/** Makes an empty temporary file for records, which is deleted on disposal. @throws Error of the file system */
export async function createSpool<T>() {
  const handle = await openNameless();
  return {
    write: (records: readonly T[]) => handle.appendFile(jsonLines(records)),
    /** Reads all records, in pages. */
    read: () => readJsonLines<T>(handle.createReadStream({ start: 0, autoClose: false })),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
