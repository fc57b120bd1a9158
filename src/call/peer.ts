import { createContextKey } from "@connectrpc/connect";

/** The client of a call to a public method, which needs no API key. */
export interface Peer {
  /** The address by which limits count the client: an IPv4 address or an IPv6 /64 network. */
  readonly address: string;
  /** Identifies the client's connection; undefined when a proxy may share it between clients. */
  readonly connection: object | undefined;
}

/** The key of the client among the values of a context. */
export const peerKey = createContextKey<Peer>(
  { address: "", connection: undefined },
  { description: "peer" },
);
