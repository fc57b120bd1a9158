/** A timeout of {@link setReadTimeout}. */
export interface ReadTimeout {
  /** Restarts the time. */
  refresh(): void;
  cancel(): void;
}

/**
 * Calls a function after a time, like `setTimeout`, but lets node read from all connections first.
 *
 * Use it for timeouts on data that a client or a store sends. Node runs due timers before it reads. When the process
 * was busy or suspended, a plain timer fires although the kernel has already received the data.
 *
 * @param onTimeout must not throw
 * @param ms the time, in milliseconds
 */
export function setReadTimeout(onTimeout: () => void, ms: number): ReadTimeout {
  let last: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    last = setImmediate(onTimeout);
  }, ms);
  return {
    refresh() {
      clearImmediate(last);
      timer.refresh();
    },
    cancel() {
      clearTimeout(timer);
      clearImmediate(last);
    },
  };
}
