import { type FileHandle, open, readdir, truncate, unlink } from "node:fs/promises";
import { join } from "node:path";

/** When to start a new file. */
export interface Rotation {
  /** Largest file in bytes; a line that is longer has a file of its own. */
  readonly maxBytes: number;
  /** Longest time from the first line of a file to the last, in milliseconds; 0 for no limit. */
  readonly maxAgeMs: number;
}

/** A line to write: a change, or a gap where changes are missing. */
export interface ChangeLine {
  /** Its version; of missing changes, the least that the first of them can have. */
  readonly from: bigint;
  /** Its last version: the same for a change. */
  readonly to: bigint;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** JSON, without a line end. */
  readonly text: string;
}

/** Files of changes in a directory. Lines go to the newest file; {@link Rotation} says when a new one starts. */
export interface ChangeFiles {
  /** The last version that was found when the files were opened; undefined when there was none. */
  readonly last: bigint | undefined;
  /** Path of the file that is written to; undefined as long as there is none. */
  readonly path: string | undefined;
  /** @param lines the lines after the last one, in order */
  append(lines: readonly ChangeLine[]): Promise<void>;
  /** Waits until all appended lines are on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const namePattern = /^changes-(\d{19})\.ndjson$/;

/** Bytes at the end of a file that are searched for its last line at first. More are read for a longer line. */
const tailBytes = 65_536;

/** Bytes of lines that are buffered before they are written. */
const writeBytes = 1_048_576;

function nameOf(version: bigint): string {
  return `changes-${String(version).padStart(19, "0")}.ndjson`;
}

/** A line of JSON for the changes that are missing after a version, and up to another. */
export function gapLine(after: bigint, to: bigint, at: number): ChangeLine {
  const noticedAt = new Date(at).toISOString();
  const text = `{"gap":{"after":${after},"upTo":${to},"noticedAt":"${noticedAt}"}}`;
  return { from: after + 1n, to, at, text };
}

/** Reads the last version of a line. @returns undefined when it is not a line of these files */
function lastVersionOf(text: string): bigint | undefined {
  const [, version, missing] =
    /^\{(?:"version":(\d{1,19}),|"gap":\{"after":\d{1,19},"upTo":(\d{1,19}),)/.exec(text) ?? [];
  const digits = version ?? missing;
  return digits === undefined ? undefined : BigInt(digits);
}

/** Returns the time of a line in milliseconds since the epoch; now when the line has none. */
function timeOf(text: string): number {
  const [, time = ""] = /"(?:changedAt|noticedAt)":"([^"]*)"/.exec(text) ?? [];
  return Date.parse(time) || Date.now();
}

/**
 * Opens the files of a directory. If a writer was killed, the rest of its last, torn line is removed: the files
 * alone say which changes were written.
 *
 * @throws Error of the file system, or when the last line is not one of these files
 */
export async function openChangeFiles(directory: string, rotation: Rotation): Promise<ChangeFiles> {
  const found = await lastFile(directory);
  let path = found?.path;
  let handle = path === undefined ? undefined : await open(path, "a");
  let size = found?.size ?? 0;
  let firstAt = found?.firstAt ?? 0;

  async function begin(line: ChangeLine): Promise<void> {
    await close();
    path = join(directory, nameOf(line.from));
    // The name is that of the first change in it: a file of that name would hold it already.
    handle = await open(path, "ax", 0o640);
    await syncDirectory(directory);
    size = 0;
    firstAt = line.at;
  }

  function isFull(line: ChangeLine, pending: number): boolean {
    if (!handle) return true;
    const { maxBytes, maxAgeMs } = rotation;
    const filled = size + pending;
    if (filled === 0) return false;
    const isOld = maxAgeMs > 0 && line.at - firstAt >= maxAgeMs;
    return isOld || filled + Buffer.byteLength(line.text) + 1 > maxBytes;
  }

  async function write(text: string): Promise<void> {
    if (text === "") return;
    await handle?.appendFile(text);
    size += Buffer.byteLength(text);
  }

  async function close(): Promise<void> {
    const closing = handle;
    handle = undefined;
    if (!closing) return;
    try {
      await closing.datasync();
    } finally {
      await closing.close();
    }
  }

  return {
    last: found?.last,
    get path() {
      return path;
    },
    async append(lines) {
      let pending = "";
      for (const line of lines) {
        if (isFull(line, Buffer.byteLength(pending))) {
          await write(pending);
          pending = "";
          await begin(line);
        }
        pending += `${line.text}\n`;
        if (pending.length >= writeBytes) {
          await write(pending);
          pending = "";
        }
      }
      await write(pending);
    },
    async sync() {
      await handle?.datasync();
    },
    close,
  };
}

/** Removes a torn line from the end of the last file. Returns undefined when no file has a line. */
async function lastFile(directory: string) {
  const names = (await readdir(directory)).filter((name) => namePattern.test(name)).sort();
  for (;;) {
    const name = names.pop();
    if (name === undefined) return undefined;
    const path = join(directory, name);
    const { end, last, first } = await linesOf(path);
    if (last === undefined || first === undefined) {
      // The file was created, and nothing was written to it.
      await unlink(path);
      continue;
    }
    const to = lastVersionOf(last);
    if (to === undefined || BigInt(name.slice(8, 27)) > to) {
      throw new Error(`${path}: its last line was not written by this command`);
    }
    await truncate(path, end);
    return { path, size: end, firstAt: timeOf(first), last: to };
  }
}

/** The first and the last whole line of a file, and where the latter ends. */
async function linesOf(path: string): Promise<{ end: number; first?: string; last?: string }> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    for (let length = Math.min(tailBytes, size); ; length = Math.min(length * 4, size)) {
      const tail = await read(handle, size - length, length);
      const end = tail.lastIndexOf(10);
      const start = end > 0 ? tail.lastIndexOf(10, end - 1) : -1;
      if (length < size && (end < 0 || start < 0)) continue;
      if (end < 0) return { end: 0 };
      const last = tail.toString("utf8", start + 1, end);
      const head = await read(handle, 0, Math.min(tailBytes, size));
      const [first = ""] = head.toString("utf8").split("\n", 1);
      return { end: size - length + end + 1, first, last };
    }
  } finally {
    await handle.close();
  }
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Makes the name of a new file outlast a power failure. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
