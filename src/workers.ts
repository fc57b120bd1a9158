import cluster, { type Worker } from "node:cluster";
import { writeLine } from "./log/lines.ts";
import type { Log } from "./log.ts";

/** Pause before an ended worker is replaced, in milliseconds. */
const restartMs = 500;

/** The number of this worker process; undefined in a process that is not a worker. */
export const workerId: number | undefined = cluster.worker?.id;

/** Disconnects a worker from its parent, so that it can exit. Call it at the end of a worker. */
export function leaveWorkers(): void {
  cluster.worker?.disconnect();
}

/**
 * Connects a worker with the other workers.
 *
 * @param onMessage called with each message of another worker
 * @returns a function that sends a message to all other workers; it does nothing in a process that is not a worker
 */
export function connectWorkers(onMessage: (message: string) => void): (message: string) => void {
  if (workerId === undefined) return () => {};
  process.on("message", (message) => {
    if (typeof message === "string") onMessage(message);
  });
  // With a callback, a closed channel is not an uncaught error.
  return (message) => void process.send?.(message, undefined, undefined, () => {});
}

/** The parent of this worker. Messages that are not texts are for the reports of workers. */
export const parentProcess = {
  send: (message: object): void => void process.send?.(message, undefined, undefined, () => {}),
  /** @param onMessage called with each message that is not a text */
  listen(onMessage: (message: object) => void): void {
    process.on("message", (message) => {
      if (typeof message === "object" && message !== null) onMessage(message);
    });
  },
};

/** Learns about the workers. */
export interface WorkerEvents {
  started(worker: { readonly id: number; send(message: object): void }): void;
  /** Called with each message that is not a text. */
  received(worker: { readonly id: number }, message: object): void;
  /** @param isReplaced whether it has ended unexpectedly, so that another one takes its place */
  ended(worker: { readonly id: number }, isReplaced: boolean): void;
}

/**
 * Runs this program in several processes that share one port. Connections are distributed round-robin. A worker that
 * ends unexpectedly is replaced. SIGTERM and SIGINT are passed on to all workers, which stop; a second signal ends
 * them at once. A message of a worker (see {@link connectWorkers}) is passed on to the others.
 *
 * @param count the number of workers
 * @param events learns about the workers
 * @param reload called on SIGHUP, which goes on to the workers if it returns true
 * @returns a promise that resolves when all workers have ended. If the first one has ended before it listened, the exit
 * code is 1, and the worker has printed the reason
 */
export async function runWorkers(
  count: number,
  log: Log,
  events: WorkerEvents,
  reload: () => boolean,
): Promise<void> {
  const running = new Set<Worker>();
  /** Workers that have listened. */
  const ready = new WeakSet<Worker>();
  /** Workers that get SIGHUP when they listen. */
  const late = new WeakSet<Worker>();
  const ended = Promise.withResolvers<void>();
  let hasListened = false;
  let isStopping = false;

  function fork(): void {
    const worker = cluster.fork();
    running.add(worker);
    events.started({ id: worker.id, send: (message) => void worker.send(message, () => {}) });
    worker.on("message", (message: string | object) => {
      if (typeof message === "object") {
        events.received(worker, message);
        return;
      }
      for (const other of running) if (other !== worker) other.send(message, () => {});
    });
    worker.once("listening", () => {
      ready.add(worker);
      if (late.has(worker)) worker.process.kill("SIGHUP");
    });
    worker.once("exit", (code: number, signal: string | null) => {
      running.delete(worker);
      events.ended(worker, hasListened && !isStopping);
      if (hasListened && !isStopping) {
        writeLine(log, "workerEnded", { worker: worker.id, exitCode: code, signal });
        setTimeout(() => isStopping || fork(), restartMs);
        return;
      }
      if (!isStopping) process.exitCode = 1;
      if (running.size === 0) ended.resolve();
    });
  }

  function stop(signal: NodeJS.Signals): void {
    isStopping = true;
    for (const worker of running) worker.process.kill(signal);
    if (running.size === 0) ended.resolve();
  }

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    // Workers exit at once when their parent exits.
    process.on(signal, () => (isStopping ? process.exit(1) : stop(signal)));
  }
  // Workers read passwords and certificates again. A worker that does not listen yet gets the signal later, because it
  // would end a process that has no listener for it.
  process.on("SIGHUP", () => {
    if (!reload()) return;
    for (const worker of running) {
      if (ready.has(worker)) worker.process.kill("SIGHUP");
      else late.add(worker);
    }
  });
  // Starts one worker first. An error such as a port in use is then reported once.
  cluster.once("listening", () => {
    hasListened = true;
    while (running.size < count && !isStopping) fork();
  });
  fork();
  await ended.promise;
}
