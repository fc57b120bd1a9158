import type { Socket } from "node:net";
import { SharedPool } from "../../call/shared-pool.ts";
import { limitedGroup } from "../../http/client-address.ts";
import type { DropCause, ListenerOptions } from "./listener-options.ts";

/** Limits the connections of each address. @returns counts one, and returns why it must be closed; undefined when it may stay */
export function createConnectionLimit({
  maxConnections,
  maxConnectionsPerAddress: share,
  trustedProxies,
}: Pick<ListenerOptions, "maxConnections" | "maxConnectionsPerAddress" | "trustedProxies">) {
  const pool = new SharedPool({ name: "connections", size: maxConnections, share });
  return (socket: Socket): DropCause | undefined => {
    const holder = pool.holderOf(limitedGroup(socket.remoteAddress, trustedProxies));
    if (!holder.enter()) {
      return holder.count >= share ? "MAX_CONNECTIONS_PER_ADDRESS" : "MAX_CONNECTIONS";
    }
    socket.once("close", () => holder.leave());
    return undefined;
  };
}
