/** An exit code, and the codes of the errors that it stands for. */
interface ExitCode {
  readonly exitCode: number;
  readonly meaning: string;
  /** Codes as over HTTP. */
  readonly codes?: readonly string[];
}

/** The exit codes of the command line. The docs are made from this list. */
export const exitCodes: readonly ExitCode[] = [
  { exitCode: 0, meaning: "The command succeeded." },
  { exitCode: 1, meaning: "The command failed for another reason." },
  {
    exitCode: 2,
    meaning:
      "The command line is wrong, a value is invalid, or nothing says which Redis or server to use.",
  },
  {
    exitCode: 3,
    meaning:
      "`follow` or `relay` cannot continue at its place: records after it are lost or of other data, or the place is damaged.",
    codes: ["out_of_range"],
  },
  { exitCode: 4, meaning: "The resource does not exist.", codes: ["not_found"] },
  {
    exitCode: 5,
    meaning: "The API key is missing or invalid, or lacks a scope.",
    codes: ["unauthenticated", "permission_denied"],
  },
  {
    exitCode: 6,
    meaning: "The state of the resource does not allow the change.",
    codes: ["already_exists", "failed_precondition", "aborted"],
  },
  {
    exitCode: 7,
    meaning: "A request limit is reached, or the key is banned.",
    codes: ["resource_exhausted"],
  },
  {
    exitCode: 8,
    meaning:
      "Redis or the server cannot be reached, did not respond in time, or the connection failed. The error says whether a change may have been made.",
    codes: ["unavailable", "deadline_exceeded"],
  },
  {
    exitCode: 9,
    meaning: "The receiver of a relay wants no more changes: it has responded 410.",
    codes: ["gone"],
  },
  { exitCode: 130, meaning: "Ctrl-C (SIGINT) interrupted the command." },
  { exitCode: 143, meaning: "SIGTERM interrupted the command." },
];

/** Returns the exit code for the code of an error; 1 if it has none of its own. */
export function exitCodeOf(code: string): number {
  return exitCodes.find(({ codes }) => codes?.includes(code))?.exitCode ?? 1;
}
