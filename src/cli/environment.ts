import type { Readable, Writable } from "node:stream";

export const outputFormats = ["table", "json", "ndjson", "csv"] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** The parts of a process that commands use. Tests pass their own. */
export interface Environment {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether progress is shown: only when `stderr` is a terminal. */
  readonly showsProgress: boolean;
  /** Gets a line for each entry of the audit trail that a command adds to Redis. Nothing does if undefined. */
  readonly auditLog?: Writable | undefined;
  readonly jsonErrors?: boolean;
  /** The value of --server: base URL of the server that the command calls. Set when the command begins. */
  readonly server?: string | undefined;
  /** The value of --limit: the most results of a list. Set when the command begins. */
  readonly limit?: number | undefined;
  /** Returns the option or argument that a field of a request comes from. Set when the command begins. */
  readonly sourceOf?: (field: string) => string;
  /** The format of the result; a table if undefined. Set when the command begins. */
  readonly format?: OutputFormat | undefined;
}
