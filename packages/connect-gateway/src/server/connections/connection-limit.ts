import type { BlockList, Socket } from "node:net";
import { SharedPool } from "../../call/shared-pool.ts";
import { limitedGroup } from "../../http/client-address.ts";
import type { DropCause } from "./listener-options.ts";

/** Counts a connection until it closes. @returns why it must be closed; undefined when it may stay */
export type AcceptConnection = (socket: Socket) => DropCause | undefined;

/** Most open connections. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxPerAddress: number;
}

/**
 * Limits the open connections of each client address (IPv6: of each /64).
 *
 * @param exempt addresses without a share: proxies, which serve many clients
 */
export function createConnectionLimit(
  { maxConnections, maxPerAddress }: ConnectionLimits,
  exempt: BlockList,
): AcceptConnection {
  const pool = new SharedPool({ name: "connections", size: maxConnections, share: maxPerAddress });
  return (socket) => {
    const holder = pool.holderOf(limitedGroup(socket.remoteAddress, exempt));
    if (!holder.enter()) {
      return holder.count >= maxPerAddress ? "MAX_CONNECTIONS_PER_ADDRESS" : "MAX_CONNECTIONS";
    }
    socket.once("close", () => holder.leave());
    return undefined;
  };
}
