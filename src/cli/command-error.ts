/** A command that failed. The message names options and arguments, not fields of a request. */
export class CommandError extends Error {
  /** Machine-readable code, the same as over HTTP: `invalid_argument`, `not_found`, … */
  readonly code: string;
  /** 2 if the command line is wrong; 128 + n after signal n; 3 if history is lost; else 1. */
  readonly exitCode: number;

  constructor(code: string, message: string, exitCode = 1) {
    super(message);
    this.name = "CommandError";
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** Returns the error for a wrong command line: exit code 2. */
export function usageError(message: string): CommandError {
  return new CommandError("invalid_argument", message, 2);
}
