import type { BlockList } from "node:net";
import { clientAddress } from "../../access/client-address.ts";
import type { Peer } from "../../call/peer.ts";
import {
  connectionOf,
  forwardedFor,
  type NodeServerRequest,
  peerAddress,
} from "../../http/exchange/node-http.ts";

/**
 * Returns the client of a request. Its properties are computed when they are read, because most methods do not use
 * them.
 *
 * @param trustedProxies proxies whose X-Forwarded-For header is trusted
 */
export function peerOf(request: NodeServerRequest, trustedProxies: BlockList): Peer {
  const socketAddress = () => clientAddress(peerAddress(request), undefined, trustedProxies);
  const address = () => clientAddress(peerAddress(request), forwardedFor(request), trustedProxies);
  return {
    get address() {
      return address();
    },
    get connection() {
      return address() === socketAddress() ? connectionOf(request) : undefined;
    },
  };
}
