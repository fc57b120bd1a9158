import { stat } from "node:fs/promises";
import { createServer } from "node:net";
import { CommandError } from "./command-error.ts";

/**
 * Keeps other processes of this machine from working in a directory, until it is released or the process ends,
 * however it ends: the lock is an abstract socket of Linux, which ends with its process. Elsewhere there is
 * no such socket, and no lock.
 *
 * @returns releases it
 * @throws CommandError when another process has it
 */
export async function lockDirectory(directory: string): Promise<() => void> {
  if (process.platform !== "linux") return () => {};
  const { dev, ino } = await stat(directory);
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", () => {
      reject(
        new CommandError("failed_precondition", `another process writes to ${directory} already`),
      );
    });
    server.listen({ path: `\0inventory-history-${dev}-${ino}` }, resolve);
  });
  server.unref();
  return () => void server.close();
}
