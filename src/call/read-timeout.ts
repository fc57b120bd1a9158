/** A timeout of {@link setReadTimeout}. */
export interface ReadTimeout {
  /** Starts the time again. */
  refresh(): void;
  cancel(): void;
  /** Lets the process exit before the time is over. */
  unref(): ReadTimeout;
}

/**
 * Calls a function after a time, like `setTimeout`, but lets node read from all connections first.
 *
 * node runs due timers before it reads. When the process was busy or suspended, a plain timer fires although what
 * it waits for has already been received by the kernel. For timeouts on what a client or a store sends.
 *
 * @param onTimeout must not throw
 * @param ms the time, in milliseconds
 */
export function setReadTimeout(onTimeout: () => void, ms: number): ReadTimeout {
  let last: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    last = setImmediate(onTimeout);
  }, ms);
  const timeout: ReadTimeout = {
    refresh() {
      clearImmediate(last);
      timer.refresh();
    },
    cancel() {
      clearTimeout(timer);
      clearImmediate(last);
    },
    unref() {
      timer.unref();
      return timeout;
    },
  };
  return timeout;
}
