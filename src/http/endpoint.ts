import type { DescMethod } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { Operation, Protocol } from "../call/request-record.ts";
import type { NodeServerRequest, NodeServerResponse } from "./exchange/node-http.ts";
import type { RequestValues } from "./http-context.ts";
import type { RequestTarget } from "./request-target.ts";

/** Responds to the requests for a method or a path, in one protocol. */
export interface Endpoint {
  /** The method that a request calls; undefined for a path without one. */
  readonly method: DescMethod | undefined;
  /** The operation that requests are counted by. */
  readonly operation: Operation;
  /** Responds to a request that was admitted. @param values of its context, such as the caller */
  handle(
    request: NodeServerRequest,
    response: NodeServerResponse,
    values: RequestValues,
  ): void | Promise<void>;
  /** Responds with an error, without reading the request's body. */
  refuse(request: NodeServerRequest, response: NodeServerResponse, error: ConnectError): void;
  /** Returns the protocol of a request, for the record of one that gets no response. */
  protocolOf(request: NodeServerRequest): Protocol;
}

/** The endpoints of one interface, such as REST. */
export interface Endpoints {
  /** Returns the endpoint of a request; undefined for a path that the interface does not know. Does no I/O. */
  find(target: RequestTarget, request: NodeServerRequest): Endpoint | undefined;
  /** Refuses requests for paths that no interface knows. */
  readonly unknown: Endpoint;
}
