import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";

/** The protocols of RPC, as a client of a server speaks them. */
export const protocols: readonly (readonly [name: string, open: (url: string) => Transport])[] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web, HTTP/1.1", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ["gRPC-Web, HTTP/2", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" })],
  ["Connect, HTTP/1.1", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect, HTTP/2", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })],
];

/** A client without a key, by gRPC. */
export function anonymous<S extends DescService>(service: S, url: string): Client<S> {
  return createClient(service, createGrpcTransport({ baseUrl: url }));
}

/** Takes what a stream tells, one after the other. */
export function take<T>(stream: AsyncIterable<T>): () => Promise<T | undefined> {
  const iterator = stream[Symbol.asyncIterator]();
  return async () => {
    const { done, value } = await iterator.next();
    return done ? undefined : value;
  };
}
