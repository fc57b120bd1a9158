import { createReadStream } from "node:fs";
import { open, readdir, stat, truncate, unlink } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";

/** When to start a new file. */
export interface Rotation {
  /** Largest file in bytes. A longer line gets a file of its own. */
  readonly maxBytes: number;
  /** Longest time between the first and the last line of a file, in milliseconds; 0 for no limit. */
  readonly maxAgeMs: number;
}

/** A line to write: a record, or a gap between two of them. */
export interface RecordLine {
  /** Number of the record; for a gap, the lowest number that is missing. */
  readonly from: bigint;
  /** Number of the record; for a gap, the highest number that is missing. */
  readonly to: bigint;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
}

/** The files of a directory. Lines are appended to the newest file; {@link Rotation} says when a new one starts. */
export interface LineFiles {
  /** The last line in the files when they were opened; undefined if they had no line. */
  readonly last: { readonly number: bigint; readonly text: string } | undefined;
  readonly path: string | undefined;
  append(lines: readonly RecordLine[]): Promise<void>;
  /** Flushes all appended lines to the disk. */
  sync(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface LineKind {
  /** The beginning of the names of the files. */
  readonly prefix: string;
  /** The member with the number of a record. A line begins with it. */
  readonly field: string;
  /** Finds the time of a record: ISO 8601, or milliseconds since the epoch. */
  readonly time: RegExp;
}

/** Bytes at the end of a file that are searched first for its last line. */
const tailBytes = 65_536;

/** Bytes of lines that are buffered before they are written. */
const writeBytes = 1_048_576;

function nameOf({ prefix }: LineKind, number: bigint): string {
  return `${prefix}-${String(number).padStart(19, "0")}.ndjson`;
}

/** Returns the names of the files in a directory, oldest first. */
async function fileNames(directory: string, { prefix }: LineKind): Promise<string[]> {
  const form = new RegExp(`^${prefix}-\\d{19}\\.ndjson$`);
  return (await readdir(directory)).filter((name) => form.test(name)).sort();
}

/**
 * Returns the line for a gap.
 *
 * @param after the last number before the gap
 * @param to the last missing number
 * @param at when the gap was noticed, in milliseconds since the epoch
 */
export function gapLine(after: bigint, to: bigint, at: number): RecordLine {
  const noticedAt = new Date(at).toISOString();
  const text = `{"gap":{"after":${after},"upTo":${to},"noticedAt":"${noticedAt}"}}`;
  return { from: after + 1n, to, at, text };
}

/** Returns the last number of a line; undefined if this module did not write the line. */
export function lastNumberOf({ field }: LineKind, text: string): bigint | undefined {
  const ofRecord = new RegExp(`^\\{"${field}":(\\d{1,19}),`);
  const gap = /^\{"gap":\{"after":\d{1,19},"upTo":(\d{1,19}),/;
  const [, number] = gap.exec(text) ?? ofRecord.exec(text) ?? [];
  return number === undefined ? undefined : BigInt(number);
}

/** Returns the time of a line in milliseconds since the epoch; the current time if the line has none. */
export function timeOf(kind: LineKind, text: string): number {
  const [, time = ""] = /^\{"gap":.*"noticedAt":"([^"]*)"/.exec(text) ?? kind.time.exec(text) ?? [];
  return Number(time) || Date.parse(time) || Date.now();
}

/**
 * Opens the files of a directory, and removes an incomplete last line that a killed writer left. The files
 * themselves are the only record of which lines were written.
 *
 * @throws Error of the file system, or if this module did not write the last line
 */
export async function openLineFiles(
  directory: string,
  rotation: Rotation,
  kind: LineKind,
): Promise<LineFiles> {
  const found = await lastFile(directory, kind);
  let path = found?.path;
  let handle = path === undefined ? undefined : await open(path, "a");
  let size = found?.size ?? 0;
  let firstAt = found?.firstAt ?? 0;

  async function begin(line: RecordLine): Promise<void> {
    await close();
    path = join(directory, nameOf(kind, line.from));
    // Fails if the file exists: it would contain this line already.
    handle = await open(path, "ax", 0o640);
    await syncDirectory(directory);
    size = 0;
    firstAt = line.at;
  }

  function isFull(line: RecordLine, pending: number): boolean {
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
    await using closing = handle;
    handle = undefined;
    await closing?.datasync();
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
    [Symbol.asyncDispose]: close,
  };
}

/** Removes an incomplete line from the end of the newest file. Returns undefined if no file has a line. */
async function lastFile(directory: string, kind: LineKind) {
  const names = await fileNames(directory, kind);
  for (;;) {
    const name = names.pop();
    if (name === undefined) return undefined;
    const path = join(directory, name);
    const { end, last, first } = await linesOf(path);
    if (last === undefined || first === undefined) {
      // The writer was killed before it wrote a whole line.
      await unlink(path);
      continue;
    }
    const number = lastNumberOf(kind, last);
    if (number === undefined || BigInt(name.slice(-26, -7)) > number) {
      throw new Error(
        `${path}: the last line was not written by this command. Use another directory`,
      );
    }
    await truncate(path, end);
    return { path, size: end, firstAt: timeOf(kind, first), last: { number, text: last } };
  }
}

/** Returns the first and the last complete line of a file, and the offset of the end of the last in bytes. */
async function linesOf(path: string): Promise<{ end: number; first?: string; last?: string }> {
  const { size } = await stat(path);
  for (let length = Math.min(tailBytes, size); ; length = Math.min(length * 4, size)) {
    const tail = await buffer(createReadStream(path, { start: size - length }));
    const end = tail.lastIndexOf(10);
    const start = end > 0 ? tail.lastIndexOf(10, end - 1) : -1;
    if (length < size && (end < 0 || start < 0)) continue;
    if (end < 0) return { end: 0 };
    const last = tail.toString("utf8", start + 1, end);
    const head = await buffer(createReadStream(path, { end: tailBytes - 1 }));
    const [first = ""] = head.toString("utf8").split("\n", 1);
    return { end: size - length + end + 1, first, last };
  }
}

/** Flushes a directory, so that the name of a new file survives a power failure. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, "r");
  await handle.sync();
}
