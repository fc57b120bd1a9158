import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import type { Method } from "../../src/call/method.ts";
import { CallerWork } from "../../src/http/caller-work.ts";
import { createRpc } from "../../src/rpc/rpc.ts";
import type { RpcOptions } from "../../src/rpc/rpc-context.ts";
import { rpcJson } from "../rest/support/json.ts";

/** The RPC protocols, as client transports. */
export const protocols: readonly (readonly [name: string, open: (url: string) => Transport])[] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web, HTTP/1.1", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ["gRPC-Web, HTTP/2", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" })],
  ["Connect, HTTP/1.1", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect, HTTP/2", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })],
];

/** Serves methods by the RPC protocols. Without options, messages have at most 1,000 bytes, and errors no more details. */
export function rpcOf(methods: readonly Method[], options: Partial<RpcOptions> = {}) {
  const work = new CallerWork();
  return createRpc({
    methods,
    work,
    publicWork: work,
    readMaxBytes: () => 1_000,
    json: rpcJson,
    missingDetails: () => [],
    onFault: () => undefined,
    ...options,
  });
}

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
