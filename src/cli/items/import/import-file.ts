import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { openNameless } from "../../../backup/nameless-file.ts";
import { fileError, standardStream } from "../../output/file-format.ts";

/** A file that can be read more than once. */
export interface ImportFile {
  /** In bytes. */
  readonly size: number;
  /** Reads the file from its beginning. */
  read(): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/**
 * Opens a file. Copies a pipe or standard input to a temporary file first, because they can be read only once. The
 * temporary file has no name, so it is deleted with the process.
 *
 * @param path the file; `-` is standard input
 * @throws CommandError if the file cannot be read
 */
export async function openImportFile(path: string, stdin: Readable): Promise<ImportFile> {
  try {
    const handle = path === standardStream ? await spool(stdin) : await openPath(path);
    const { size } = await handle.stat();
    return {
      size,
      read: () => handle.createReadStream({ start: 0, autoClose: false }),
      close: () => handle.close(),
    };
  } catch (error) {
    throw fileError(path, error);
  }
}

async function openPath(path: string): Promise<FileHandle> {
  const handle = await open(path);
  const stats = await handle.stat();
  // For a directory, reading fails with the error to report.
  return stats.isFile() ? handle : spool(handle.createReadStream());
}

async function spool(source: Readable): Promise<FileHandle> {
  const handle = await openNameless();
  try {
    await handle.writeFile(source);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
