import type { SharedPool } from "connect-gateway/call";

/** A limit on how many operations run at once, such as the open watches of one account and of all accounts. */
export interface ConcurrencyLimit<Caller> {
  readonly pool: SharedPool;
  /** Returns the owner of a caller's places; undefined when this limit does not apply to the caller. */
  ownerOf(caller: Caller): Parameters<SharedPool["holderOf"]>[0];
  /** Makes the error for a caller beyond the limit. @param of `share` when its owner has all that one can have, otherwise `pool` */
  exceeded(of: "share" | "pool"): Error;
}

/** Counts an operation of a caller until the returned function is called. @throws the error of the first limit reached */
export type Acquire<Caller> = (caller: Caller) => () => void;

/** Combines limits that an operation must satisfy together. They are checked in the given order. */
export function createConcurrencyLimits<Caller>(
  limits: readonly ConcurrencyLimit<Caller>[],
): Acquire<Caller> {
  return (caller) => {
    let held: ReturnType<SharedPool["holderOf"]>[] = [];
    const release = () => {
      for (const holder of held) holder.leave();
      held = [];
    };
    for (const { pool, ownerOf, exceeded } of limits) {
      const owner = ownerOf(caller);
      if (owner === undefined) continue;
      const holder = pool.holderOf(owner);
      if (!holder.enter()) {
        release();
        throw exceeded(holder.count >= pool.share ? "share" : "pool");
      }
      held.push(holder);
    }
    return release;
  };
}
