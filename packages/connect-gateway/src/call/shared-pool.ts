import { getOrInsert } from "./get-or-insert.ts";

/** An owner of places: a client address, the id of an account or of a key, or a connection. */
export type Owner = string | object;

/** Fewest owners at which those without a place are removed. */
const minSweep = 1_000;

/**
 * Places that all clients share, such as open requests. No owner can take all of them.
 *
 * An owner gets a further place while it has no more places than are free (the dynamic threshold of Choudhury and Hahne,
 * 1998). So one owner gets about half of the pool at most, two greedy owners a third each, and there is always room for
 * another one. No share must be configured, and unwanted places are not reserved. A pool of one or two places has no reserve.
 */
export class SharedPool {
  readonly name: string;
  /** Places of all owners together. Infinite for a limit on each owner alone. */
  readonly size: number;
  /** Most places of one owner. By default, only the free places limit an owner. */
  readonly share: number;
  /** Places that are taken. */
  held = 0;
  /** Owners that have places. */
  owners = 0;
  /** The holder of all owners without a share, such as proxies, which serve many clients. */
  readonly exempt = new Holder(this, "exempt");
  readonly #ofTexts = new Map<string, Holder>();
  readonly #ofObjects = new WeakMap<object, Holder>();
  #sweepAt = minSweep;

  constructor({ name, size, share = size }: { name: string; size: number; share?: number }) {
    this.name = name;
    this.size = size;
    this.share = share;
  }

  /**
   * Returns the holder of an owner's places. While it has none, do not keep it: the owner may get another one.
   *
   * @param owner undefined for an owner without a share
   */
  holderOf(owner: Owner | undefined): Holder {
    if (owner === undefined) return this.exempt;
    if (typeof owner === "object") {
      return getOrInsert(this.#ofObjects, owner, () => new Holder(this));
    }
    const known = this.#ofTexts.get(owner);
    if (known) return known;
    if (this.#ofTexts.size >= this.#sweepAt) this.#sweep();
    const holder = new Holder(this);
    this.#ofTexts.set(owner, holder);
    return holder;
  }

  /** Removes owners without a place: not after each request, because V8 keeps the removed entries of a Map for a while. */
  #sweep(): void {
    for (const [owner, { count }] of this.#ofTexts) if (count === 0) this.#ofTexts.delete(owner);
    this.#sweepAt = Math.max(minSweep, 2 * this.#ofTexts.size);
  }
}

/** The places of one owner. */
export class Holder {
  readonly pool: SharedPool;
  /** Whether the owner has no share. */
  readonly isExempt: boolean;
  count = 0;

  constructor(pool: SharedPool, kind: "owner" | "exempt" = "owner") {
    this.pool = pool;
    this.isExempt = kind === "exempt";
  }

  /** Takes places. @returns false when there are too few, or too few for this owner */
  enter(places = 1): boolean {
    const { pool } = this;
    const free = pool.size - pool.held;
    if (places > free) return false;
    const count = this.count + places;
    // As if it took one after another.
    const isGreedy = count - 1 > free - (places - 1);
    if ((isGreedy || count > pool.share) && !this.isExempt) return false;
    if (this.count === 0) pool.owners += 1;
    this.count = count;
    pool.held += places;
    return true;
  }

  /** Gives places back. */
  leave(places = 1): void {
    const { pool } = this;
    pool.held -= places;
    this.count -= places;
    if (this.count === 0) pool.owners -= 1;
  }
}
