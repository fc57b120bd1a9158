/** The deadline for the reply to a command. */
export interface ReplyDeadline {
  /** Whether the deadline has passed. The caller then gets an error, so no more commands may be sent. */
  isOver(): boolean;
  /** Returns the time that is left, in whole milliseconds; at least 1. */
  leftMs(): number;
  /** Sets what the error says when the time is over. @param reason by default, that Redis has not replied */
  explain(reason?: string): void;
  /** Returns the error for work that was not done in time. */
  error(): Error;
  /** Returns the result of the work. @throws the error of the work, or an Error when the time is over */
  limit<T>(work: Promise<T>): Promise<T>;
}

/** Starts the time for a command. @param ms in milliseconds */
export function startReplyDeadline(ms: number): ReplyDeadline {
  const endsAt = performance.now() + ms;
  let isOver = false;
  const usual = `no reply within ${ms} ms`;
  let failure = usual;
  return {
    isOver: () => isOver,
    leftMs: () => Math.max(1, Math.ceil(endsAt - performance.now())),
    explain(reason = usual): void {
      failure = reason;
    },
    error: () => new Error(failure),
    limit: (work) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          isOver = true;
          // After the next I/O phase: a reply may have arrived in time, but this process was too busy to read it.
          setImmediate(() => reject(new Error(failure)));
        }, ms);
        work.then(
          (value) => {
            clearTimeout(timer);
            resolve(value);
          },
          (error) => {
            clearTimeout(timer);
            reject(error);
          },
        );
      }),
  };
}
