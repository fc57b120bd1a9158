/** Learns which servers cannot be used. */
export interface Outages {
  /**
   * A server cannot be used. Also called with every further failure of the same server.
   *
   * @param server `<host>:<port>`, or the name of the primary among the sentinels
   */
  lost(server: string, reason: string): void;
  /** A server can be used and accepts writes, or servers that do have replaced it. */
  recovered(server: string): void;
}

/** Learns whether one server can be used. */
export interface NodeWatch {
  lost(reason: string): void;
  /** The server can be used, and accepts writes. */
  usable(): void;
}

/** Reports every change of a server. */
export function watchNode({ lost, recovered }: Outages, server: string): NodeWatch {
  return { lost: (reason) => lost(server, reason), usable: () => recovered(server) };
}

/**
 * The same, but only after the server could be used once. Not every known server of a cluster has slots, and those that
 * have none do not matter.
 */
export function watchUsedNode({ lost, recovered }: Outages, server: string): NodeWatch {
  let wasUsable = false;
  return {
    lost(reason) {
      if (wasUsable) lost(server, reason);
    },
    usable() {
      wasUsable = true;
      recovered(server);
    },
  };
}
