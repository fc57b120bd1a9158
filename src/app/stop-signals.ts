import { isatty } from "node:tty";

/**
 * A signal this soon after the first one, in milliseconds, belongs to the same stop: Ctrl-C and `kill %1` signal all
 * processes of a job, and npm passes its signal on.
 */
const sameStopMs = 1_000;

export type ServerSignals = ReturnType<typeof observeServerSignals>;

/** Observes SIGTERM and SIGINT, which ask a process to stop. */
export function observeStopSignals() {
  const first = Promise.withResolvers<NodeJS.Signals>();
  const second = Promise.withResolvers<NodeJS.Signals>();
  let isStopping = false;
  let next = (signal: NodeJS.Signals) => {
    isStopping = true;
    next = () => {};
    // A process that was busy receives the signals that have waited before it runs the immediate.
    const takeSecond = () => {
      next = second.resolve;
    };
    setTimeout(() => setImmediate(takeSecond), sameStopMs).unref();
    // When node ends by itself, it removes the listeners first, and a signal that is passed on then would kill the process.
    process.once("beforeExit", () => process.exit());
    first.resolve(signal);
  };
  const receive = (signal: NodeJS.Signals) => next(signal);
  process.on("SIGTERM", receive);
  process.on("SIGINT", receive);
  return {
    first: first.promise,
    /** Resolved by a signal that is not part of the same stop: the process shall end at once. */
    second: second.promise,
    /** Takes another event for a signal. */
    receive,
    /** Stops observing, unless there was a signal: one that is passed on late must not kill a process that ends. */
    release(): void {
      if (isStopping) return;
      process.off("SIGTERM", receive);
      process.off("SIGINT", receive);
    },
  };
}

/**
 * Observes the signals of a server. Call it first: without listeners, process 1 of a container ignores SIGTERM, and SIGHUP
 * ends any other process.
 *
 * SIGHUP asks for a reload, unless the terminal of the process was closed. Then the kernel or the shell has sent it, and the
 * process stops. Services, and processes started with `nohup`, have no terminal.
 */
export function observeServerSignals() {
  const signals = observeStopSignals();
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  let reload = () => {};
  process.on("SIGHUP", () => {
    if (terminals.every((fd) => isatty(fd))) reload();
    else signals.receive("SIGHUP");
  });
  return {
    ...signals,
    /** Sets the function that a SIGHUP calls. Until then, SIGHUP does nothing, because the settings are not read yet. */
    onReload(listener: () => void): void {
      reload = listener;
    },
  };
}
