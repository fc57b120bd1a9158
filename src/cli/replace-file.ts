import { randomBytes } from "node:crypto";
import { type FileHandle, lstat, open, realpath, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";

/** Permissions of a new file, before the process's umask is applied. */
const newFileMode = 0o666;

/** A file that can be replaced. */
interface Place {
  readonly path: string;
  /** Permissions of the existing file; undefined when the file does not exist. */
  readonly mode?: number;
}

/**
 * Writes a file as a whole: to a temporary file in the same directory, which takes the file's name when all
 * of it is on the disk. Until then, and when writing fails, the file stays as it was. A symbolic link stays,
 * and the file that it leads to is replaced. Devices, pipes and open files, such as `/dev/stdout`, are written to
 * directly.
 *
 * @param signal ends the writing
 * @throws Error of the file system, or the signal's AbortError
 */
export async function replaceFile(
  path: string,
  texts: Iterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const place = await placeOf(path);
  if (!place) {
    await writeAll(await open(path, "w"), texts, signal);
    return;
  }
  const temporary = `${place.path}.${randomBytes(6).toString("hex")}.tmp`;
  const handle = await open(temporary, "wx", place.mode ?? newFileMode);
  try {
    // Keeps the permissions of the existing file, to which the umask must not be applied again.
    if (place.mode !== undefined) await handle.chmod(place.mode);
    await writeAll(handle, texts, signal, true);
    signal.throwIfAborted();
    await rename(temporary, place.path);
  } catch (error) {
    await unlink(temporary);
    throw error;
  }
}

/** Returns the file to replace; undefined when it must be written to directly. */
async function placeOf(path: string): Promise<Place | undefined> {
  const own = await unlessMissing(lstat(path));
  if (!own) return { path };
  if (own.isFile()) return { path, mode: own.mode & 0o777 };
  if (!own.isSymbolicLink() || isSystem(await realpath(dirname(path)))) return undefined;
  const target = await unlessMissing(realpath(path));
  if (target === undefined || isSystem(target)) return undefined;
  const stats = await stat(target);
  return stats.isFile() ? { path: target, mode: stats.mode & 0o777 } : undefined;
}

/** Whether a path is in a system directory, whose links lead to open files of processes. */
function isSystem(path: string): boolean {
  return /^\/(?:dev|proc)(?:\/|$)/.test(path);
}

/** @returns undefined when the file does not exist */
async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

async function writeAll(
  handle: FileHandle,
  texts: Iterable<string>,
  signal: AbortSignal,
  sync = false,
): Promise<void> {
  try {
    for (const text of texts) {
      signal.throwIfAborted();
      await handle.writeFile(text);
    }
    if (sync) await handle.sync();
  } finally {
    await handle.close();
  }
}
