import { stat } from "node:fs/promises";
import { createServer } from "node:net";
import { CommandError } from "../command-error.ts";

/**
 * Locks a directory against other processes of this machine, until the lock is released or this process ends. The
 * lock is a Linux abstract socket, which the kernel closes even if the process is killed. On other systems this
 * function does nothing.
 *
 * @returns the lock, whose disposal releases it
 * @throws CommandError if another process holds the lock
 */
export async function lockDirectory(directory: string): Promise<Disposable> {
  if (process.platform !== "linux") return { [Symbol.dispose]() {} };
  const { dev, ino } = await stat(directory);
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", () => {
      reject(
        new CommandError(
          "failed_precondition",
          `another process writes to ${directory}: stop it, or use another directory`,
        ),
      );
    });
    server.listen({ path: `\0inventory-history-${dev}-${ino}` }, resolve);
  });
  server.unref();
  return { [Symbol.dispose]: () => void server.close() };
}
