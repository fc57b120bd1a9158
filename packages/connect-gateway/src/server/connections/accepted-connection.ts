import type { Socket } from "node:net";
import type { Connection } from "../../http/exchange/exchange.ts";
import type { Unread } from "../../http/exchange/unread.ts";

/** What connections of both HTTP versions have. */
export abstract class AcceptedConnection implements Connection {
  readonly socket: Socket;
  readonly peer: string | undefined;
  readonly trustedProxies: Connection["trustedProxies"];
  readonly onThrow: Connection["onThrow"];
  readonly unread: Unread | undefined;
  client: Connection["client"] = undefined;

  constructor(
    socket: Socket,
    { trustedProxies, onThrow }: Pick<Connection, "trustedProxies" | "onThrow">,
    unread: Unread | undefined,
  ) {
    this.socket = socket;
    this.peer = socket.remoteAddress;
    this.trustedProxies = trustedProxies;
    this.onThrow = onThrow;
    this.unread = unread;
  }
}
