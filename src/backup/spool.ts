import { jsonLines, readJsonLines } from "./json-lines.ts";
import { openNameless } from "./nameless-file.ts";

/** Records in a temporary file. */
export interface Spool<T> {
  write(records: readonly T[]): Promise<void>;
  /** Reads all records, in pages. */
  read(): AsyncGenerator<T[]>;
  /** Deletes the file. */
  close(): Promise<void>;
}

/** Makes an empty spool. @throws Error of the file system */
export async function createSpool<T>(): Promise<Spool<T>> {
  const handle = await openNameless();
  return {
    write: (records) => handle.appendFile(jsonLines(records)),
    read: () => readJsonLines<T>(handle.createReadStream({ start: 0, autoClose: false })),
    close: () => handle.close(),
  };
}
