import type { Readable, Writable } from "node:stream";
import type { OutputFormat } from "./command-options.ts";

/** The parts of a process that commands use. Tests pass their own. */
export interface Environment {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether `stderr` is a terminal. Progress is shown only then. */
  readonly isTTY: boolean;
  /** Whether errors are JSON. */
  readonly asJson?: boolean;
  /** The value of --server: base URL of the server that the command calls. Set when the command begins. */
  readonly server?: string | undefined;
  /** The format of the result; a table if undefined. Set when the command begins. */
  readonly format?: OutputFormat | undefined;
}
