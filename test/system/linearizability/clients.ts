import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { keepAlive } from "../faults/client.ts";
import type { StockClient } from "./history.ts";
import { openRest } from "./rest-client.ts";
import { rpcClient } from "./rpc-client.ts";

/** Creates a client with separate connections. */
type Open = (url: string, key: string) => StockClient;

/** The service's four protocols. */
export const protocols = {
  rest: openRest,
  connect: (url, key) =>
    rpcClient(
      key,
      createConnectTransport({
        baseUrl: url,
        httpVersion: "1.1",
        nodeOptions: { agent: keepAlive(1) },
      }),
      (ms) => ({ "connect-timeout-ms": String(ms) }),
    ),
  grpc: (url, key) => rpcClient(key, createGrpcTransport({ baseUrl: url }), grpcTimeout),
  "grpc-web": (url, key) =>
    rpcClient(
      key,
      createGrpcWebTransport({
        baseUrl: url,
        httpVersion: "1.1",
        nodeOptions: { agent: keepAlive(1) },
      }),
      grpcTimeout,
    ),
} as const satisfies Record<string, Open>;

export type Protocol = keyof typeof protocols;

function grpcTimeout(ms: number) {
  return { "grpc-timeout": `${ms}m` };
}
