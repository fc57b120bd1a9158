/**
 * Stores how far followers have got: processes with a name that hand on records, such as changes of the stock. The place of
 * a follower says which record was the last. A lease lets only one process at a time have a name.
 */
export interface PlaceStore {
  /**
   * Takes the lease of a name, or keeps it, for {@link leaseMs}. Then moves the place, unless it is not where the move
   * begins. Returns the place: at most 40 characters, empty before the first move; `taken` if another process has the lease.
   * The call can be repeated.
   *
   * @param holder the process
   * @throws ConnectError unavailable
   */
  hold(
    name: string,
    holder: string,
    move?: PlaceMove,
  ): Promise<{ readonly place: string } | "taken">;
  /** Ends the lease of a process, so that another can have it at once. */
  release(name: string, holder: string): Promise<void>;
}

/** Moves a place. */
export interface PlaceMove {
  /** The place before; empty for none. */
  readonly from: string;
  readonly to: string;
}

/** How long a process that was killed keeps its lease, in milliseconds. */
export const leaseMs = 30_000;
