import cluster, { type Worker } from "node:cluster";
import type { Log } from "./log.ts";

/** How long the place of a worker that has ended stays empty, in milliseconds. */
const restartMs = 500;

/** The number of this process among the workers; undefined when it is none of them. */
export const workerId: number | undefined = cluster.worker?.id;

/** To be called at the end of a worker: lets it go. */
export function leaveWorkers(): void {
  cluster.worker?.disconnect();
}

/**
 * Runs this program in several processes that share one port: connections are dealt out to them in turn.
 * One that ends by itself is replaced. On SIGTERM and SIGINT all of them drain; a second signal ends all at
 * once.
 *
 * @param count how many
 * @returns when all have ended. If the first did so before it listened, the exit code is 1: it has said why
 */
export async function runWorkers(count: number, log: Log): Promise<void> {
  const running = new Set<Worker>();
  const ended = Promise.withResolvers<void>();
  let hasListened = false;
  let isStopping = false;

  function fork(): void {
    const worker = cluster.fork();
    running.add(worker);
    worker.once("exit", (code: number, signal: string | null) => {
      running.delete(worker);
      if (hasListened && !isStopping) {
        log.error({ worker: worker.id, code, signal }, "a worker ended and is replaced");
        setTimeout(() => isStopping || fork(), restartMs);
        return;
      }
      if (!isStopping) process.exitCode = 1;
      if (running.size === 0) ended.resolve();
    });
  }

  function stop(): void {
    isStopping = true;
    for (const worker of running) worker.process.kill("SIGTERM");
    if (running.size === 0) ended.resolve();
  }

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    // Workers end at once when the process that started them does.
    process.on(signal, () => (isStopping ? process.exit(1) : stop()));
  }
  // One alone at first: what it can't do, such as to listen on a port in use, none of them can.
  cluster.once("listening", () => {
    hasListened = true;
    while (running.size < count && !isStopping) fork();
  });
  fork();
  await ended.promise;
}
