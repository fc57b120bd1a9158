import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { InventoryChangeSchema } from "../../gen/inventory/v1/inventory_pb.ts";
import { changeMessage } from "../inventory/change-message.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import { httpJson } from "../rest/json-form.ts";
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

/** The exit code when not all changes since the last one can be written. */
const lostExitCode = 3;

/** Goes to the start of a terminal's line, and erases it. */
const eraseLine = "\r\u001b[K";

/** Most changes that one read returns. */
const pageSize = 500;

/** Longest time until a written change is on the disk, in milliseconds; less when no other change follows. */
const syncEveryMs = 1_000;

/** Delay before Redis is tried again, in milliseconds. */
const retryMs = 500;

/** An attempt that lasted longer than this, in milliseconds, did reach Redis: it exceeds all time-outs. */
const longestOutageSign = 5_000;

/** The progress so far. */
interface Progress {
  /** Version of the last change that was written or is lost. */
  version: bigint;
  written: number;
}

/**
 * Writes every change of the stock to files of a directory, starting after the last change that the files have.
 *
 * @throws CommandError when the service has forgotten some of these changes, or has another history
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
    // Before the files are opened: a line that another process is writing would look like a torn one.
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
    const message = `the changes after ${progress.version} and up to ${gap.to} are lost: the service has forgotten them`;
    if (!options.acceptGap) {
      throw lost(`${message}. Go on after them with --accept-gap, and raise HISTORY_LENGTH`);
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
    await throughOutages(environment, signal, catchUp);
    await throughOutages(environment, signal, watch);
  }
  return { ...progress, path: files.path };
}

/** Repeats an action when Redis is not available, until the action succeeds or is interrupted. */
async function throughOutages(
  { stderr }: Environment,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  let isAway = false;
  while (!signal.aborted) {
    const begunAt = performance.now();
    try {
      await work();
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ConnectError)) throw error;
      // An attempt that exceeds all time-outs shows that Redis was available in between.
      if (performance.now() - begunAt > longestOutageSign) isAway = false;
      if (!isAway) stderr.write("Redis is not available: trying again until it is\n");
      isAway = true;
      await delay(retryMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** The changes after a version that are not remembered any more. @throws CommandError */
async function gapAfter({ inventory }: Stores, version: bigint): Promise<ChangeLine> {
  const start = await inventory.historyStart();
  if (start <= version) throw replaced(version);
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

function replaced(version: bigint): CommandError {
  return lost(
    `the stock is not the one whose change ${version} was written: it was replaced or restored. Follow it in another directory`,
  );
}

function lost(message: string): CommandError {
  return new CommandError("out_of_range", message, lostExitCode);
}

function showVersion({ stderr, isTTY }: Environment, { version, written }: Progress): void {
  if (isTTY) stderr.write(`${eraseLine}following: version ${version}, ${written} written`);
}
