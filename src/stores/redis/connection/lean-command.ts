import { Command, type Redis } from "ioredis";

/** Parts of a command that the types of ioredis do not have. */
interface Internals {
  promise: Promise<unknown>;
  resolve: (reply: unknown) => void;
  reject: (error: Error) => void;
  isSettled: boolean;
  stringifyArguments(): void;
  _convertValue(resolve: (reply: unknown) => void): (reply: unknown) => void;
  _clearTimers(): void;
}

/**
 * A command without a callback, whose arguments need no conversion. V8 allocates the function literal that ioredis assigns
 * to `reject` in its old space, so each command would stay in memory with its reply until the next major collection.
 */
class LeanCommand extends Command {}

Object.assign(LeanCommand.prototype, {
  initPromise(this: Internals): void {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.stringifyArguments();
    this.resolve = this._convertValue(resolve);
    this.reject = rejecterOf(this, reject);
    this.promise = promise;
  },
});

function rejecterOf(command: Internals, reject: (error: Error) => void): (error: Error) => void {
  return (error) => {
    command._clearTimers();
    command.isSettled = true;
    reject(error);
  };
}

/** Sends a command, and returns its reply. @param encoding of text in the reply; null for buffers */
export function sendCommand(
  redis: Redis,
  name: string,
  args: (string | number)[],
  encoding: "utf8" | null,
): Promise<unknown> {
  const command = new LeanCommand(name, args, { replyEncoding: encoding });
  return redis.sendCommand(command) as Promise<unknown>;
}
