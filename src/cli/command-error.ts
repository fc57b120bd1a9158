/** Why a command did not do what it was told, in terms of the command line. */
export class CommandError extends Error {
  /** Machine-readable, in the words that the HTTP interface has. */
  readonly code: string;
  /** 1, or 2 when the command line itself is wrong. */
  readonly exitCode: number;

  constructor(code: string, message: string, exitCode = 1) {
    super(message);
    this.name = "CommandError";
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** The command line itself is wrong: what it says can't be meant. */
export function usageError(message: string): CommandError {
  return new CommandError("invalid_argument", message, 2);
}
