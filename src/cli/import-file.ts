import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileError, standardStream } from "./file-format.ts";

/** A file that can be read more than once. */
export interface ImportFile {
  /** In bytes. */
  readonly size: number;
  /** Reads it from its beginning. */
  read(): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/**
 * Opens a file. What can be read only once, a pipe or standard input, is copied to a temporary file,
 * which is gone with the process however that ends.
 *
 * @param path the file; `-` is standard input
 * @throws CommandError when it can't be read
 */
export async function openImportFile(path: string, stdin: Readable): Promise<ImportFile> {
  try {
    const handle = path === standardStream ? await spool(stdin) : await openTwice(path);
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

async function openTwice(path: string): Promise<FileHandle> {
  const handle = await open(path);
  const stats = await handle.stat();
  // Reading a directory tells what is wrong.
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

async function openNameless(): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), "inventory-"));
  try {
    return await open(join(directory, "import"), "wx+", 0o600);
  } finally {
    // The open file stays readable without its name.
    await rm(directory, { recursive: true });
  }
}
