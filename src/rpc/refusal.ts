import type { ConnectError } from "@connectrpc/connect";
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  errorToJsonBytes,
  headerProtocolVersion,
} from "@connectrpc/connect/protocol-connect";
import { type ErrorResponse, httpError } from "../http/error-response.ts";
import type { NodeServerRequest } from "../http/exchange/node-http.ts";
import { methodNotAllowed } from "../http/http-failure.ts";
import { endOfStream } from "./connect/stream.ts";
import { setStatus } from "./grpc/status.ts";
import { type RpcMediaType, rpcMediaTypeOf } from "./media-type.ts";

/** A response that has an error and no messages. */
export interface ErrorOnlyResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
}

/** Returns the protocol of a response to a request. */
export function protocolOf(request: NodeServerRequest): RpcMediaType["protocol"] {
  return rpcMediaTypeOf(request)?.protocol ?? "connect";
}

/** Returns whether the client expects a response in an RPC protocol, even if there is no such method. */
export function expectsRpc(request: NodeServerRequest): boolean {
  if (request.method !== "POST") return false;
  const type = rpcMediaTypeOf(request);
  return (
    type?.isBinary === true ||
    type?.isEnveloped === true ||
    request.headers[headerProtocolVersion.toLowerCase()] !== undefined
  );
}

/** Connect's clients take JSON without a parameter for an error of Connect, which has no `status`. */
const notOfConnect = { "content-type": "application/json; charset=utf-8" };

/**
 * Returns the error for a media type that no RPC protocol has for the kind of call: 415.
 *
 * @param type a media type to send instead
 */
export function otherMediaType(type: string): ErrorResponse {
  const message = `The method cannot be called with this content type. Send a POST with one such as ${type}.`;
  return httpError("UNSUPPORTED_MEDIA_TYPE", message, notOfConnect);
}

/** Returns the error for a GET whose query does not say how its message is encoded: 415. */
export function otherEncoding(): ErrorResponse {
  const message =
    "The query parameter encoding must be json or proto. Or send a POST with a content type such as application/json.";
  return httpError("UNSUPPORTED_MEDIA_TYPE", message, notOfConnect);
}

/** Returns the error for an HTTP method that no RPC protocol has for the kind of call: 405. @param allow those that it has */
export function otherHttpMethod(allow: string): ErrorResponse {
  const error = methodNotAllowed(allow);
  return { ...error, headers: { ...error.headers, ...notOfConnect } };
}

/**
 * Makes the response that reports an error in the client's protocol.
 *
 * @param type the request's media type; undefined when it is of no RPC protocol
 */
export function errorOnlyResponse(
  error: ConnectError,
  type: RpcMediaType | undefined,
): ErrorOnlyResponse {
  if (!type?.isEnveloped) return connectError(error);
  const headers = new Headers({ "content-type": type.name });
  // In gRPC and gRPC-Web, the response is "Trailers-Only": the status is in the headers, and there is no body.
  return type.protocol === "connect"
    ? { status: 200, headers, body: endOfStream(error) }
    : { status: 200, headers: setStatus(headers, error), body: undefined };
}

/** https://connectrpc.com/docs/protocol#unary-get-request and #error-codes */
function connectError(error: ConnectError): ErrorOnlyResponse {
  const headers = new Headers(error.metadata);
  headers.set("content-type", contentTypeUnaryJson);
  return {
    status: codeToHttpStatus(error.code),
    headers,
    body: errorToJsonBytes(error, undefined),
  };
}
