import type { CallContext } from "../../../call/context.ts";
import type { Operation } from "./operation.ts";

/** The end of a command: its reply, or its failure. */
export interface Reply {
  readonly operation: Operation;
  /** The time since it was sent, in milliseconds. */
  readonly ms: number;
  /** The time that it was allowed to take, in milliseconds. */
  readonly budgetMs: number;
  /** The error when it failed. */
  readonly error: unknown;
  /** The calls that share it; empty when the command belongs to no call. */
  readonly calls: readonly (CallContext | undefined)[];
}
