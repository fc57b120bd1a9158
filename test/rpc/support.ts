import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";

/** The RPC protocols, as client transports. */
export const protocols: readonly (readonly [name: string, open: (url: string) => Transport])[] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web, HTTP/1.1", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ["gRPC-Web, HTTP/2", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" })],
  ["Connect, HTTP/1.1", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect, HTTP/2", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })],
];

/** Makes a gRPC client without a key. */
export function anonymous<S extends DescService>(service: S, url: string): Client<S> {
  return createClient(service, createGrpcTransport({ baseUrl: url }));
}

/** Returns a function that takes the next message of a stream; undefined at its end. */
export function take<T>(stream: AsyncIterable<T>): () => Promise<T | undefined> {
  const iterator = stream[Symbol.asyncIterator]();
  return async () => {
    const { done, value } = await iterator.next();
    return done ? undefined : value;
  };
}
