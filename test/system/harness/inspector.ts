/** Runs code in another process. */
export interface Inspector {
  /** Runs an expression. @returns its value. @throws Error if it throws, or if its value is not JSON */
  run<T>(expression: string): Promise<T>;
  close(): void;
}

/** What node's inspector replies. */
interface Reply {
  readonly id: number;
  readonly result?: {
    readonly result: { readonly value: unknown };
    readonly exceptionDetails?: unknown;
  };
}

/** Connects to a process that was started with `--inspect=0`. @param stderr what it has written to standard error */
export async function inspect(stderr: string): Promise<Inspector> {
  const socket = new WebSocket(/ws:\S+/.exec(stderr)?.[0] ?? "");
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, (reply: Reply) => void>();
  socket.onmessage = ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  };
  let last = 0;
  return {
    async run<T>(expression: string) {
      last += 1;
      const params = { expression, returnByValue: true, awaitPromise: true };
      socket.send(JSON.stringify({ id: last, method: "Runtime.evaluate", params }));
      const reply = await new Promise<Reply>((resolve) => waiting.set(last, resolve));
      if (!reply.result || reply.result.exceptionDetails) throw new Error(JSON.stringify(reply));
      return reply.result.result.value as T;
    },
    close: () => socket.close(),
  };
}
