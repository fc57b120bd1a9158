/** The deadline for the reply to a command. */
export type ReplyDeadline = ReturnType<typeof startReplyDeadline>;

/** Starts the time for a command. @param ms in milliseconds */
export function startReplyDeadline(ms: number) {
  const endsAt = performance.now() + ms;
  let isOver = false;
  const usual = `no reply within ${ms} ms`;
  let failure = usual;
  return {
    /** Whether the deadline has passed. The caller then gets an error, so no more commands may be sent. */
    isOver: () => isOver,
    /** Returns the time that is left, in whole milliseconds; at least 1. */
    leftMs: () => Math.max(1, Math.ceil(endsAt - performance.now())),
    /** Sets what the error says when the time is over. @param reason by default, that Redis has not replied */
    explain(reason = usual): void {
      failure = reason;
    },
    /** Returns the error for work that was not done in time. */
    error: () => new Error(failure),
    /** Returns the result of the work. @throws the error of the work, or an Error when the time is over */
    limit: <T>(work: Promise<T>): Promise<T> =>
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
