import { exitCodeOf } from "./exit-codes.ts";

/** Names a failed request in the log of the server. */
export interface FailedRequest {
  /** The stable reason, such as `PET_NOT_FOUND`. */
  readonly reason: string;
  readonly requestId: string;
}

/** A command that failed. The message names options and arguments, not fields of a request. */
export class CommandError extends Error {
  /** Machine-readable code, the same as over HTTP: `invalid_argument`, `not_found`, … */
  readonly code: string;
  readonly exitCode: number;
  /** The request that failed; undefined if the command has not called a server. */
  readonly request: FailedRequest | undefined;

  /** @param exitCode by default that of the code */
  constructor(
    code: string,
    message: string,
    exitCode = exitCodeOf(code),
    request: FailedRequest | undefined = undefined,
  ) {
    super(message);
    this.name = "CommandError";
    this.code = code;
    this.exitCode = exitCode;
    this.request = request;
  }

  /** Returns the same error with another message. */
  withMessage(message: string): CommandError {
    return new CommandError(this.code, message, this.exitCode, this.request);
  }
}

/** Returns the error for a wrong command line: exit code 2. */
export function usageError(message: string): CommandError {
  return new CommandError("invalid_argument", message, 2);
}

/** Returns the result of a function that reads settings. @throws CommandError with the message of its error: exit code 2 */
export function orUsageError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : `${error}`);
  }
}
