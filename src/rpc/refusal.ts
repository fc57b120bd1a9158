import type { ConnectError } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  contentTypeStreamRegExp,
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  endStreamFlag,
  endStreamToJson,
  errorToJsonBytes,
  headerProtocolVersion,
} from "@connectrpc/connect/protocol-connect";
import { contentTypeRegExp as grpcContentType } from "@connectrpc/connect/protocol-grpc";
import { contentTypeRegExp as grpcWebContentType } from "@connectrpc/connect/protocol-grpc-web";
import type { Protocol } from "../call/request-record.ts";
import { type ErrorResponse, httpError } from "../http/error-response.ts";
import type { NodeServerRequest } from "../http/exchange/node-http.ts";
import { methodNotAllowed } from "../http/http-failure.ts";
import { setStatus } from "./grpc/status.ts";

/** A response that has an error and no messages. */
export interface ErrorOnlyResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
}

/** Returns whether this is the media type of a gRPC or gRPC-Web request. */
function isGrpc(contentType: string): boolean {
  return grpcContentType.test(contentType) || grpcWebContentType.test(contentType);
}

/** Returns the media type of a request; empty when there is none. */
export function contentTypeOf({ headers }: NodeServerRequest): string {
  return headers["content-type"] ?? "";
}

/** Returns the protocol of a response to a request. */
export function protocolOf(request: NodeServerRequest): Exclude<Protocol, "http"> {
  const contentType = contentTypeOf(request);
  if (grpcContentType.test(contentType)) return "grpc";
  return grpcWebContentType.test(contentType) ? "grpc_web" : "connect";
}

/**
 * Removes the parameters of a gRPC or gRPC-Web media type from a request's headers, because they have no meaning. A
 * JSON type keeps them: `charset` is one.
 */
export function removeGrpcParameters({ headers }: NodeServerRequest): void {
  const type = headers["content-type"];
  const bare = type?.split(";", 1)[0]?.trim();
  if (bare !== type && bare !== undefined && isGrpc(bare) && !bare.endsWith("+json")) {
    headers["content-type"] = bare;
  }
}

/** Returns whether the client expects a response in an RPC protocol, even if there is no such method. */
export function expectsRpc(request: NodeServerRequest): boolean {
  const type = contentTypeOf(request);
  return (
    request.method === "POST" &&
    (isGrpc(type) ||
      contentTypeStreamRegExp.test(type) ||
      type === contentTypeUnaryProto ||
      request.headers[headerProtocolVersion.toLowerCase()] !== undefined)
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

/** Returns the error for an HTTP method that no RPC protocol has for the kind of call: 405. @param allow those that it has */
export function otherHttpMethod(allow: string): ErrorResponse {
  const error = methodNotAllowed(allow);
  return { ...error, headers: { ...error.headers, ...notOfConnect } };
}

/**
 * Makes the response that reports an error in the client's protocol.
 *
 * @param contentType the request's media type, which names the protocol; empty when there is none
 */
export function errorOnlyResponse(error: ConnectError, contentType: string): ErrorOnlyResponse {
  if (isGrpc(contentType)) {
    return trailersOnly(error, contentType);
  }
  return contentTypeStreamRegExp.test(contentType)
    ? endOfStream(error, contentType)
    : connectError(error);
}

/** gRPC's "Trailers-Only", which gRPC-Web has too: the status is in the headers, and there is no body. */
function trailersOnly(error: ConnectError, contentType: string): ErrorOnlyResponse {
  const headers = setStatus(new Headers({ "content-type": contentType }), error);
  return { status: 200, headers, body: undefined };
}

/** https://connectrpc.com/docs/protocol#error-end-stream */
function endOfStream(error: ConnectError, contentType: string): ErrorOnlyResponse {
  const json = JSON.stringify(endStreamToJson(new Headers(), error, undefined));
  const body = encodeEnvelope(endStreamFlag, new TextEncoder().encode(json));
  return { status: 200, headers: new Headers({ "content-type": contentType }), body };
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
