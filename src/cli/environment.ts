import type { Readable, Writable } from "node:stream";

/** What the command line has of the process that it runs in. */
export interface Environment {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether people watch `stderr`: only then is progress shown. */
  readonly isTTY: boolean;
}
