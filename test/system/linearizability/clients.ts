import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { keepAlive } from "../faults/client.ts";
import type { Operation, Outcome } from "./history.ts";
import { openRest } from "./rest-client.ts";
import { rpcClient } from "./rpc-client.ts";

/** The parts of a request in addition to its operation. */
export interface Marks {
  /** Also sent as the request id. */
  readonly reference: string;
  /** Empty if the request has none. */
  readonly idempotencyKey: string;
  /** Timeout for the server, in ms; undefined for none. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Sends one request.
 *
 * @throws Error if the operation cannot have the response
 */
export type StockClient = (operation: Operation, marks: Marks) => Promise<Outcome>;

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

/** The names of the protocols. */
export type Protocol = keyof typeof protocols;

function grpcTimeout(ms: number) {
  return { "grpc-timeout": `${ms}m` };
}
