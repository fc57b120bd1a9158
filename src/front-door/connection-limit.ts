import type { BlockList, Socket } from "node:net";
import { addressGroup, isTrustedAddress } from "../access/client-address.ts";

/** Limits the open connections of each client address (IPv6: of each /64). */
export interface ConnectionLimit {
  /** Counts a connection until it closes. @returns false when its address has too many */
  accept(socket: Socket): boolean;
}

/**
 * @param maxPerAddress most open connections of one address
 * @param exempt addresses without a limit: proxies, which serve many clients
 */
export function createConnectionLimit(maxPerAddress: number, exempt: BlockList): ConnectionLimit {
  const counts = new Map<string, number>();
  return {
    accept(socket) {
      const { remoteAddress } = socket;
      if (remoteAddress === undefined || isTrustedAddress(remoteAddress, exempt)) return true;
      const address = addressGroup(remoteAddress);
      const count = counts.get(address) ?? 0;
      if (count >= maxPerAddress) return false;
      counts.set(address, count + 1);
      socket.once("close", () => {
        const left = (counts.get(address) ?? 1) - 1;
        if (left > 0) counts.set(address, left);
        else counts.delete(address);
      });
      return true;
    },
  };
}
