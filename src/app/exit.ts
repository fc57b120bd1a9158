import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../observability/log/log.ts";

/** How long the process may take to exit by itself when its log is written, in milliseconds. */
const idleMs = 200;

/** Closes everything that a process has opened, the last first. @param ms the longest wait, in milliseconds */
export async function closeWithin(ms: number, opened: AsyncDisposableStack): Promise<void> {
  // What fails to close is lost already, such as a connection, and the process ends.
  const closed = opened.disposeAsync().catch(() => {});
  await Promise.race([closed, delay(ms, undefined, { ref: false })]);
}

/**
 * Ends the process, which something that could not be closed may keep alive. First, its log is written. If nobody reads
 * the log, the process is killed, because `process.exit()` would wait for the reader.
 *
 * @param ms when the process is killed, in milliseconds
 */
export function exitWithin(ms: number, log: Log): void {
  log.flush(() => setTimeout(() => process.exit(), idleMs).unref());
  setTimeout(() => process.kill(process.pid, "SIGKILL"), ms).unref();
}
