import type { CallContext } from "../../../common/call-context.ts";

/** The calls that wait for a reply. Undefined ones belong to no call. */
export type Calls = readonly (CallContext | undefined)[];

/** A kind of command, by the names that metrics and traces have for it. Each kind is one object. */
export interface Operation {
  readonly command: string;
  /** The name of the script; undefined when the command runs no script. */
  readonly script?: string | undefined;
  /** Whether the command only records the calls that it belongs to, so that it is not the change that they ask for. */
  readonly isRecord?: boolean;
}

/** The commands that TypeScript sends for calls. */
export const operations = {
  del: { command: "DEL" },
  hgetall: { command: "HGETALL" },
  hmget: { command: "HMGET" },
  hset: { command: "HSET" },
  zadd: { command: "ZADD" },
  zcard: { command: "ZCARD" },
  zlexcount: { command: "ZLEXCOUNT" },
  zrange: { command: "ZRANGE" },
  zrangebylex: { command: "ZRANGEBYLEX" },
  zrevrangebylex: { command: "ZREVRANGEBYLEX" },
  zscore: { command: "ZSCORE" },
} satisfies Record<string, Operation>;

/** Commands that have no name of their own, such as those of the checks at start. */
export const otherCommands: Operation = { command: "other" };

/** The end of a command: its reply, or its failure. */
export interface Reply {
  readonly operation: Operation;
  /** The time since it was sent, in milliseconds. */
  readonly ms: number;
  /** The time that it was allowed to take, in milliseconds. */
  readonly budgetMs: number;
  readonly error: unknown;
  /** The calls that share it; empty when the command belongs to no call. */
  readonly calls: Calls;
}
