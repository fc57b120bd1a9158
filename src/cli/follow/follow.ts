import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { ConnectError } from "@connectrpc/connect";
import { CommandError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interruptible } from "../interruption.ts";
import { lockDirectory } from "../output/directory-lock.ts";
import { fileError } from "../output/file-format.ts";
import { printResult } from "../output/output.ts";
import { createProgressBar, type ProgressBar } from "../output/progress-bar.ts";
import { control, print } from "../output/terminal.ts";
import {
  gapLine,
  type LineFiles,
  type LineKind,
  openLineFiles,
  type RecordLine,
} from "./line-files.ts";

export interface FollowOptions {
  readonly once?: true;
  /** Bytes. */
  readonly maxSize: number;
  /** Milliseconds; 0 for no limit. */
  readonly maxAge: number;
  readonly acceptGap?: true;
}

/** Numbered records that the service adds to, and whose oldest ones it removes. */
export interface Followed {
  /** Returns the number before the oldest record. */
  start(): Promise<bigint>;
  /** Reads the next records and how many there are. @returns undefined if some after the number were removed */
  since(
    number: bigint,
    most: number,
  ): Promise<{ readonly lines: readonly RecordLine[]; readonly total: number } | undefined>;
  /** Returns the error if the files end with a record that the service never had. */
  replaced(number: bigint): CommandError;
}

/** What records are, and how messages name them. */
export interface RecordKind extends LineKind {
  /** One record, such as `change`. */
  readonly record: string;
  readonly records: string;
  /** The number of a record, such as `version`. */
  readonly number: string;
  /** The setting for how many records there are. */
  readonly setting: string;
  /** The time between two reads while there are no new records, in milliseconds. */
  readonly pollMs: number;
}

/** Largest number of records that one read returns. A page of the audit trail has one more entry: that before it. */
const pageSize = 99;

/** Longest time until a written record is flushed to the disk, in milliseconds. The last one is flushed at once. */
const syncEveryMs = 1_000;

/** Delay before the next attempt to reach the service, in milliseconds. */
const retryMs = 500;

/** An attempt that lasted longer than this, in milliseconds, did reach Redis: it exceeds all timeouts. */
const reachedAfterMs = 5_000;

/**
 * Writes records to files of a directory, starting after the last record in the files, until SIGINT or SIGTERM. Then
 * prints how many it has written.
 *
 * @param use calls its argument with the records to follow; the files say where they end
 * @throws CommandError if the service has removed some of these records, or has others
 */
export async function followToFiles(
  { environment, directory, options, kind }: FollowCommand,
  use: (work: (open: (files: LineFiles) => Followed) => Promise<Written>) => Promise<Written>,
): Promise<void> {
  const { maxSize, maxAge } = options;
  const rotation = { maxBytes: maxSize, maxAgeMs: maxAge };
  const { number, written, path } = await interruptible((signal) =>
    use(async (open) => {
      try {
        await mkdir(directory, { recursive: true });
        // Locks before it opens the files: a line that another process is writing looks like an incomplete one.
        using _ = await lockDirectory(directory);
        await using files = await openLineFiles(directory, rotation, kind);
        return await follow({ environment, options, kind, followed: open(files), files, signal });
      } catch (error) {
        throw fileError(directory, error);
      }
    }),
  );
  await printResult(environment, {
    json: () =>
      `{"written":${written},"${kind.field}":${number},"file":${JSON.stringify(path ?? null)}}`,
    text: () => {
      const noun = written === 1 ? kind.record : kind.records;
      const file = path === undefined ? "" : `, to ${path}`;
      return `wrote ${written} ${noun}, up to ${kind.number} ${number}${file}`;
    },
  });
}

interface FollowCommand {
  readonly environment: Environment;
  /** Of the files. */
  readonly directory: string;
  readonly options: FollowOptions;
  readonly kind: RecordKind;
}

interface Written {
  /** Number of the last record that was written or lost. */
  readonly number: bigint;
  readonly written: number;
  /** Path of the newest file; undefined if there is none. */
  readonly path: string | undefined;
}

interface Following extends Omit<FollowCommand, "directory"> {
  readonly followed: Followed;
  readonly files: LineFiles;
  readonly signal: AbortSignal;
}

async function follow(following: Following): Promise<Written> {
  const { environment, options, kind, followed, files, signal } = following;
  const { stderr, showsProgress } = environment;
  const progress = { number: files.last?.number ?? (await followed.start()), written: 0 };
  let syncedAt = performance.now();

  async function write(lines: readonly RecordLine[]): Promise<void> {
    await files.append(lines);
    progress.number = lines.at(-1)?.to ?? progress.number;
    progress.written += lines.length;
    if (lines.length < pageSize || performance.now() - syncedAt >= syncEveryMs) {
      await files.sync();
      syncedAt = performance.now();
    }
  }

  async function skipLost(): Promise<void> {
    const start = await followed.start();
    if (start <= progress.number) throw followed.replaced(progress.number);
    const gap = gapLine(progress.number, start, Date.now());
    const message = `the ${kind.records} after ${kind.number} ${progress.number} up to ${kind.number} ${gap.to} are lost: the service has deleted them, or a backup was restored`;
    if (!options.acceptGap) {
      throw lostError(
        `${message}. After a restore, use another directory. Otherwise add --accept-gap to continue after them, and raise ${kind.setting}`,
      );
    }
    print(stderr, `warning: ${message}\n`);
    await files.append([gap]);
    progress.number = gap.to;
  }

  /** Writes the records so far and, without --once, those that are added. */
  async function run(): Promise<void> {
    let bar: ProgressBar | undefined;
    let isLive = false;
    try {
      while (!signal.aborted) {
        const since = await followed.since(progress.number, pageSize);
        if (!since) {
          bar?.clear();
          await skipLost();
          continue;
        }
        const { lines, total } = since;
        await write(lines);
        if (!isLive) {
          bar ??= createProgressBar(environment, "catching up", total);
          bar.advance(lines.length);
        }
        if (lines.length === pageSize) continue;
        if (options.once) return;
        isLive = true;
        showProgress();
        await delay(kind.pollMs, undefined, { signal }).catch(() => {});
      }
    } finally {
      if (showsProgress) print(stderr, control.restartLine);
    }
  }

  function showProgress(): void {
    const text = `following: ${kind.number} ${progress.number}, ${progress.written} written`;
    if (showsProgress) print(stderr, [control.restartLine, text]);
  }

  await (options.once ? run() : retryOutages(environment, signal, run));
  return { ...progress, path: files.path };
}

/** Retries an action while the service is not available, until the action succeeds or the signal is aborted. */
async function retryOutages(
  { stderr }: Environment,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  let isDown = false;
  while (!signal.aborted) {
    const begunAt = performance.now();
    try {
      await work();
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ConnectError)) throw error;
      if (performance.now() - begunAt > reachedAfterMs) isDown = false;
      if (!isDown) print(stderr, "Redis is not available: retrying until it is\n");
      isDown = true;
      await delay(retryMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** Returns the error for records that cannot be written because the service does not have them. */
export function lostError(message: string): CommandError {
  return new CommandError("out_of_range", message);
}
