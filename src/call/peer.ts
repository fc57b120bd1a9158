/** The client of a call that needs no key. */
export interface Peer {
  /** The client's address, as limits count it: an IPv4 address or an IPv6 /64 network. */
  readonly address: string;
  /** Stands for the client's connection; undefined when a proxy may share it between clients. */
  readonly connection: object | undefined;
}
