/** A kind of command, by the names that metrics and traces have for it. Each kind is one object. */
export interface Operation {
  /** The name of the Redis command. */
  readonly command: string;
  /** The name of the script file, without its extension; undefined when the command runs no script. */
  readonly script?: string | undefined;
}

/** Commands that have no name of their own, such as those of the checks at start. */
export const otherCommands: Operation = { command: "other" };
