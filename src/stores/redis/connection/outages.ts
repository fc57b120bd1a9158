/** Learns which servers cannot be used. */
export interface Outages {
  /** A server cannot be used: `<host>:<port>`, or the primary's name for sentinels. Called with each failure. */
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

/** Reports the changes of a server, as long as it matters. */
export function watchNode(
  { lost, recovered }: Outages,
  server: string,
  matters: () => boolean = () => true,
): NodeWatch {
  return {
    lost(reason) {
      if (matters()) lost(server, reason);
    },
    usable() {
      if (matters()) recovered(server);
    },
  };
}
