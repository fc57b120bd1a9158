import type { BlockList, Socket } from "node:net";
import {
  addressGroup,
  clientAddress,
  clientNetwork,
  isTrustedAddress,
} from "../access/client-address.ts";
import type { Network } from "../access/network.ts";
import type { Peer } from "../call/peer.ts";
import { forwardedFor, type NodeServerRequest, peerAddress } from "../http/exchange/node-http.ts";

/** The address of a connection's client, on the object of the connection. */
const ownAddress: unique symbol = Symbol("address");

/** A connection whose client is known; the address is null if it is a proxy. */
interface KnownConnection {
  [ownAddress]?: string | null;
}

/**
 * Returns the owner of a request's places in shared pools: the address of the client (IPv6: its /64).
 *
 * @returns undefined for a request of a trusted proxy itself, which serves many clients
 */
export type ClientOf = (request: NodeServerRequest) => string | undefined;

/** @param trustedProxies proxies whose X-Forwarded-For header is trusted */
export function createClientOf(trustedProxies: BlockList): ClientOf {
  return (request) => {
    const connection = request.socket as Socket & KnownConnection;
    const known = connection[ownAddress];
    if (typeof known === "string") return known;
    const peer = peerAddress(request) ?? "";
    if (known === undefined && !isTrustedAddress(peer, trustedProxies)) {
      const address = addressGroup(peer);
      connection[ownAddress] = address;
      return address;
    }
    connection[ownAddress] = null;
    const address = addressOf(request, trustedProxies);
    return address === addressGroup(peer) ? undefined : address;
  };
}

/**
 * Returns the address of a connection's client (IPv6: its /64).
 *
 * @returns undefined for a connection of a proxy, or without a request so far
 */
export function clientOfConnection(socket: Socket & KnownConnection): string | undefined {
  return socket[ownAddress] ?? undefined;
}

/**
 * Returns the address of a request's client (IPv6: its /64), or "unknown".
 *
 * @param trustedProxies proxies whose X-Forwarded-For header is trusted
 */
export function addressOf(request: NodeServerRequest, trustedProxies: BlockList): string {
  return clientAddress(peerAddress(request), forwardedFor(request), trustedProxies);
}

/** Returns the whole address of a request's client; empty if it is unknown. */
export function networkOfClient(request: NodeServerRequest, trustedProxies: BlockList): Network {
  return clientNetwork(peerAddress(request), forwardedFor(request), trustedProxies);
}

/**
 * The client of a request to a public method. Its properties are computed when they are read, because most methods do
 * not use them.
 *
 * It is a class because V8 stores the getters of an object literal in its hidden class. With one literal for each
 * request, all of them would keep their requests in memory until the next full garbage collection.
 */
export class RequestPeer implements Peer {
  readonly #request: NodeServerRequest;
  readonly #trustedProxies: BlockList;

  /** @param trustedProxies proxies whose X-Forwarded-For header is trusted */
  constructor(request: NodeServerRequest, trustedProxies: BlockList) {
    this.#request = request;
    this.#trustedProxies = trustedProxies;
  }

  get address(): string {
    return addressOf(this.#request, this.#trustedProxies);
  }

  get connection(): object | undefined {
    const direct = clientAddress(peerAddress(this.#request), undefined, this.#trustedProxies);
    return this.address === direct ? this.#request.transport : undefined;
  }
}
