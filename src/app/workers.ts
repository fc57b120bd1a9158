import cluster, { type Worker } from "node:cluster";
import { writeLine } from "../observability/log/lines.ts";
import type { Log } from "../observability/log/log.ts";
import type { ServerSignals } from "./stop-signals.ts";
import type { Peer } from "./worker-reports.ts";

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

export interface WorkerEvents {
  started(worker: Peer): void;
  /** Called with each message that is not a text. */
  received(worker: Pick<Peer, "id">, message: object): void;
  /** @param next `replaced` if it has ended unexpectedly, so that another one takes its place */
  ended(worker: Pick<Peer, "id">, next: "replaced" | "none"): void;
}

/** A message to the parent: why this worker cannot go on. */
interface Fault {
  readonly fault: string;
}

/**
 * Reports to the parent why this worker cannot go on, and returns whether there is a parent. If it cannot start, all workers
 * probably fail for the same reason, which their parent prints once.
 */
export function reportFault(error: unknown): boolean {
  if (workerId === undefined || !process.connected) return false;
  const fault = error instanceof Error ? error.message : String(error);
  parentProcess.send({ fault } satisfies Fault);
  return true;
}

export interface WorkersOptions {
  readonly log: Log;
  /** Gets a function that ends the workers. */
  readonly opened: AsyncDisposableStack;
  readonly signals: ServerSignals;
  readonly events: WorkerEvents;
  /** Called on SIGHUP, which goes on to the workers if it returns true. */
  reload(): boolean;
}

/**
 * Runs this program in several processes that share one port, until all have ended. Connections are distributed round-robin.
 * When all have listened, the start is over, and from then on a worker that ends unexpectedly is replaced. SIGTERM and
 * SIGINT are passed on to all workers, which stop. They are killed if this process exits before. A message of a worker (see
 * {@link connectWorkers}) is passed on to the others.
 *
 * @param count the number of workers
 * @throws Error if a worker ends before it has listened, during the start
 */
export async function runWorkers(
  count: number,
  { log, opened, signals, events, reload }: WorkersOptions,
): Promise<void> {
  const running = new Set<Worker>();
  const ready = new WeakSet<Worker>();
  /** Workers that get SIGHUP when they listen. */
  const late = new WeakSet<Worker>();
  const faults = new WeakMap<Worker, string>();
  const ended = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<never>();
  let missing = count;
  let isStopping = false;

  function fork(): void {
    const worker = cluster.fork();
    running.add(worker);
    events.started({ id: worker.id, send: (message) => void worker.send(message, () => {}) });
    worker.on("message", (message: string | object) => {
      if (isFault(message)) faults.set(worker, message.fault);
      else if (typeof message === "object") events.received(worker, message);
      else for (const other of running) if (other !== worker) other.send(message, () => {});
    });
    worker.once("listening", () => {
      ready.add(worker);
      missing -= 1;
      if (late.has(worker)) worker.process.kill("SIGHUP");
      // Starts one worker first. An error such as a port in use then occurs once.
      if (missing === count - 1) for (let k = 1; k < count && !isStopping; k++) fork();
    });
    worker.once("exit", (code: number, signal: string | null) => {
      // Its last messages can arrive after its end.
      if (worker.isConnected()) worker.once("disconnect", () => onEnd(worker, code, signal));
      else onEnd(worker, code, signal);
    });
  }

  function onEnd(worker: Worker, code: number, signal: string | null): void {
    running.delete(worker);
    const reason = faults.get(worker);
    const isReplaced = !isStopping && (missing <= 0 || ready.has(worker));
    events.ended(worker, isReplaced ? "replaced" : "none");
    if (isReplaced) {
      writeLine(log, "workerEnded", { worker: worker.id, exitCode: code, signal, reason });
      setTimeout(() => isStopping || fork(), restartMs);
    } else if (!isStopping) {
      const how = signal === null ? `exit code ${code}` : signal;
      failed.reject(new Error(reason ?? `worker ${worker.id} ended during the start: ${how}`));
    }
    if (isStopping && running.size === 0) ended.resolve();
  }

  function stop(signal: NodeJS.Signals): void {
    isStopping = true;
    for (const worker of running) worker.process.kill(signal);
    if (running.size === 0) ended.resolve();
  }

  opened.defer(() => {
    stop("SIGINT");
    return ended.promise;
  });
  process.once("exit", () => {
    for (const worker of running) worker.process.kill("SIGKILL");
  });
  signals.first.then(stop);
  // Workers read passwords and certificates again. A worker that does not listen yet gets the signal later, because it
  // would end a process that has no listener for it.
  signals.onReload(() => {
    if (!reload()) return;
    for (const worker of running) {
      if (ready.has(worker)) worker.process.kill("SIGHUP");
      else late.add(worker);
    }
  });
  fork();
  await Promise.race([ended.promise, failed.promise]);
}

function isFault(message: string | object): message is Fault {
  return typeof message === "object" && "fault" in message;
}
