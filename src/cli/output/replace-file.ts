import { randomBytes } from "node:crypto";
import { type FileHandle, lstat, open, realpath, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { unlessMissing } from "./file-format.ts";

type Content = Iterable<string> | AsyncIterable<Buffer>;

/**
 * Replaces a file atomically: writes a temporary file in the same directory, flushes it to the disk and renames it.
 * If this fails, the file does not change. For a symbolic link, replaces the file that it points to. Writes directly
 * to devices, pipes and open files, such as `/dev/stdout`.
 *
 * @param mode permissions of a new file, before the process's umask is applied
 * @throws Error of the file system, or the signal's AbortError
 */
export async function replaceFile(
  path: string,
  content: Content,
  signal: AbortSignal,
  mode = 0o666,
): Promise<void> {
  const target = await targetOf(path);
  if (!target) {
    await using handle = await open(path, "w");
    await writeAll(handle, content, signal);
    return;
  }
  const temporary = `${target.path}.${randomBytes(6).toString("hex")}.tmp`;
  const opened = await open(temporary, "wx", target.mode ?? mode);
  try {
    {
      await using handle = opened;
      // Keeps the permissions of the existing file: open() has applied the umask to them.
      if (target.mode !== undefined) await handle.chmod(target.mode);
      await writeAll(handle, content, signal);
      await handle.sync();
    }
    signal.throwIfAborted();
    await rename(temporary, target.path);
  } catch (error) {
    await unlink(temporary);
    throw error;
  }
}

/** Returns the file to replace, with its permissions if it exists; undefined if the path must be written directly. */
async function targetOf(path: string): Promise<{ path: string; mode?: number } | undefined> {
  const own = await unlessMissing(lstat(path));
  if (!own) return { path };
  if (own.isFile()) return { path, mode: own.mode & 0o777 };
  if (!own.isSymbolicLink() || isSystem(await realpath(dirname(path)))) return undefined;
  const target = await unlessMissing(realpath(path));
  if (target === undefined || isSystem(target)) return undefined;
  const stats = await stat(target);
  return stats.isFile() ? { path: target, mode: stats.mode & 0o777 } : undefined;
}

/** Whether a path is in a system directory, where links point to open files of processes. */
function isSystem(path: string): boolean {
  return /^\/(?:dev|proc)(?:\/|$)/.test(path);
}

async function writeAll(handle: FileHandle, content: Content, signal: AbortSignal): Promise<void> {
  for await (const part of content) {
    signal.throwIfAborted();
    await handle.writeFile(part);
  }
}
