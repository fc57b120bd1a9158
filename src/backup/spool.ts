import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLines, readJsonLines } from "./json-lines.ts";

/** Opens a temporary file without a name. The system deletes it when it is closed or the process ends. */
export async function openNameless(): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), "inventory-"));
  try {
    return await open(join(directory, "data"), "wx+", 0o600);
  } finally {
    // The open file remains readable without a name.
    await rm(directory, { recursive: true });
  }
}

/** Makes an empty temporary file for records, which is deleted on disposal. @throws Error of the file system */
export async function createSpool<T extends object>() {
  const handle = await openNameless();
  return {
    write: (records: readonly T[]) => handle.appendFile(jsonLines(records)),
    read: () => readJsonLines<T>(handle.createReadStream({ start: 0, autoClose: false })),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
