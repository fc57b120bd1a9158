import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { InventoryChangeSchema } from "../../gen/inventory/v1/inventory_pb.ts";
import { httpJson } from "../http-json.ts";
import { changeMessage } from "../inventory/change-message.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import type { Stores } from "../stores.ts";
import { type ChangeFiles, type ChangeLine, gapLine, openChangeFiles } from "./change-files.ts";
import { CommandError } from "./command-error.ts";
import type { CommonOptions } from "./command-options.ts";
import { lockDirectory } from "./directory-lock.ts";
import type { Environment } from "./environment.ts";
import { fileError } from "./file-format.ts";
import { onInterruption } from "./interruption.ts";
import { printResult } from "./output.ts";
import { createProgressBar, type ProgressBar } from "./progress-bar.ts";
import { withStores } from "./session.ts";

/** Options of `history follow`. */
export interface FollowOptions extends CommonOptions {
  readonly output: string;
  readonly once?: true;
  /** Bytes. */
  readonly maxSize: number;
  /** Milliseconds; 0 for no limit. */
  readonly maxAge: number;
  readonly acceptGap?: true;
}

/** The exit code if the service no longer has all changes since the last written one. */
const lostExitCode = 3;

/** Moves the cursor to the start of the line and erases the line. */
const eraseLine = "\r\u001b[K";

/** Largest number of changes that one read returns. */
const pageSize = 500;

/** Longest time until a written change is flushed to the disk, in milliseconds. The last change is flushed at once. */
const syncEveryMs = 1_000;

/** Delay before the next attempt to reach Redis, in milliseconds. */
const retryMs = 500;

/** An attempt that lasted longer than this, in milliseconds, did reach Redis: it exceeds all timeouts. */
const reachedAfterMs = 5_000;

/** The progress so far. */
interface Progress {
  /** Version of the last change that was written or lost. */
  version: bigint;
  written: number;
}

/**
 * Writes every change of the stock to files of a directory, starting after the last change in the files.
 *
 * @throws CommandError if the service has deleted some of these changes, or has a different history
 */
export async function followHistory(
  environment: Environment,
  options: FollowOptions,
): Promise<void> {
  const interruption = onInterruption();
  try {
    const { version, written, path } = await withStores(environment, {}, (stores) =>
      inDirectory(options, (files) =>
        follow(environment, options, stores, files, interruption.signal),
      ),
    );
    await printResult(environment, options, {
      json: () =>
        `{"written":${written},"version":${version},"file":${JSON.stringify(path ?? null)}}`,
      text: () =>
        `wrote ${written} change${written === 1 ? "" : "s"}, up to version ${version}${path === undefined ? "" : `, to ${path}`}`,
    });
  } finally {
    interruption.release();
  }
}

async function inDirectory<T>(
  { output, maxSize, maxAge }: FollowOptions,
  use: (files: ChangeFiles) => Promise<T>,
): Promise<T> {
  try {
    await mkdir(output, { recursive: true });
    // Locks before it opens the files: a line that another process is writing looks like an incomplete one.
    const release = await lockDirectory(output);
    try {
      const files = await openChangeFiles(output, { maxBytes: maxSize, maxAgeMs: maxAge });
      return await use(files).finally(files.close);
    } finally {
      release();
    }
  } catch (error) {
    throw fileError(output, error);
  }
}

async function follow(
  environment: Environment,
  options: FollowOptions,
  stores: Stores,
  files: ChangeFiles,
  signal: AbortSignal,
) {
  const { inventory } = stores;
  const version = files.last ?? (await inventory.historyStart());
  const progress: Progress = { version, written: 0 };
  let syncedAt = performance.now();

  async function write(changes: readonly StockChange[], isLast: boolean): Promise<void> {
    await files.append(changes.map(lineOf));
    progress.version = changes.at(-1)?.version ?? progress.version;
    progress.written += changes.length;
    if (isLast || performance.now() - syncedAt >= syncEveryMs) {
      await files.sync();
      syncedAt = performance.now();
    }
  }

  async function skipLost(): Promise<void> {
    const gap = await gapAfter(stores, progress.version);
    const message = `the changes after version ${progress.version} up to version ${gap.to} are lost: the service has deleted them`;
    if (!options.acceptGap) {
      throw lostError(
        `${message}. Add --accept-gap to continue after them, and raise HISTORY_LENGTH`,
      );
    }
    environment.stderr.write(`warning: ${message}\n`);
    await files.append([gap]);
    progress.version = gap.to;
  }

  async function catchUp(): Promise<void> {
    let bar: ProgressBar | undefined;
    try {
      while (!signal.aborted) {
        const since = await inventory.changesSince(progress.version, pageSize);
        if (!since) {
          bar?.clear();
          await skipLost();
          continue;
        }
        const { changes, total } = since;
        bar ??= createProgressBar(environment, "catching up", total);
        await write(changes, changes.length < pageSize);
        bar.advance(changes.length);
        if (changes.length < pageSize) return;
      }
    } finally {
      bar?.clear();
    }
  }

  async function watch(): Promise<void> {
    const reader = stores.readChanges();
    signal.addEventListener("abort", reader.close, { once: true });
    try {
      while (!signal.aborted) {
        showVersion(environment, progress);
        const changes = await reader.next(progress.version);
        if (changes) await write(changes, true);
        else await skipLost();
      }
    } finally {
      signal.removeEventListener("abort", reader.close);
      reader.close();
      if (environment.isTTY) environment.stderr.write(eraseLine);
    }
  }

  if (options.once) await catchUp();
  else {
    await retryOutages(environment, signal, catchUp);
    await retryOutages(environment, signal, watch);
  }
  return { ...progress, path: files.path };
}

/** Retries an action while Redis is not available, until the action succeeds or the signal is aborted. */
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
      if (!isDown) stderr.write("Redis is not available: retrying until it is\n");
      isDown = true;
      await delay(retryMs, undefined, { signal }).catch(() => {});
    }
  }
}

/**
 * Returns the line for the changes after a version that the service has deleted.
 *
 * @throws CommandError if the service has deleted none: its stock was replaced
 */
async function gapAfter({ inventory }: Stores, version: bigint): Promise<ChangeLine> {
  const start = await inventory.historyStart();
  if (start <= version) throw replacedError(version);
  return gapLine(version, start, Date.now());
}

function lineOf(change: StockChange): ChangeLine {
  const message = changeMessage(change, true);
  const { version } = change;
  const at = message.changedAt ? timestampMs(message.changedAt) : change.changedAt;
  return {
    from: version,
    to: version,
    at,
    text: httpJson.encodeJson(InventoryChangeSchema, message),
  };
}

function replacedError(version: bigint): CommandError {
  return lostError(
    `the files end with version ${version} of another stock: the stock was replaced or restored. Use another --output directory`,
  );
}

function lostError(message: string): CommandError {
  return new CommandError("out_of_range", message, lostExitCode);
}

function showVersion({ stderr, isTTY }: Environment, { version, written }: Progress): void {
  if (isTTY) stderr.write(`${eraseLine}following: version ${version}, ${written} written`);
}
