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
import type { NodeServerRequest } from "../http/node-http.ts";
import { setStatus } from "./grpc/status.ts";

/** An answer that is an error and nothing else. */
export interface RefusalAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
}

/** Is this the media type of a gRPC or gRPC-Web request? */
function isGrpc(contentType: string): boolean {
  return grpcContentType.test(contentType) || grpcWebContentType.test(contentType);
}

/**
 * Removes the parameters of a gRPC or gRPC-Web media type, which have no meaning, from a request's headers. A JSON type
 * keeps its parameters: `charset` is one.
 */
export function removeGrpcParameters({ headers }: NodeServerRequest): void {
  const type = headers["content-type"];
  const bare = type?.split(";", 1)[0]?.trim();
  if (bare !== type && bare !== undefined && isGrpc(bare) && !bare.endsWith("+json")) {
    headers["content-type"] = bare;
  }
}

/** Does a client that sends this expect an answer in an RPC protocol, even if there is no such method? */
export function expectsRpc({ method, headers }: NodeServerRequest): boolean {
  const type = headers["content-type"] ?? "";
  return (
    method === "POST" &&
    (isGrpc(type) ||
      contentTypeStreamRegExp.test(type) ||
      type === contentTypeUnaryProto ||
      headers[headerProtocolVersion.toLowerCase()] !== undefined)
  );
}

/**
 * Tells an error to a client before its request's body was read, in the client's own protocol, which
 * its media type shows.
 *
 * @param contentType the request's; empty when there is none
 */
export function refusalAnswer(error: ConnectError, contentType: string): RefusalAnswer {
  if (isGrpc(contentType)) {
    return trailersOnly(error, contentType);
  }
  return contentTypeStreamRegExp.test(contentType)
    ? endOfStream(error, contentType)
    : connectError(error);
}

/** gRPC's "Trailers-Only", which gRPC-Web shares: the status in the header section, and no body. */
function trailersOnly(error: ConnectError, contentType: string): RefusalAnswer {
  const headers = setStatus(new Headers({ "content-type": contentType }), error);
  return { status: 200, headers, body: undefined };
}

/** https://connectrpc.com/docs/protocol#error-end-stream */
function endOfStream(error: ConnectError, contentType: string): RefusalAnswer {
  const json = JSON.stringify(endStreamToJson(new Headers(), error, undefined));
  const body = encodeEnvelope(endStreamFlag, new TextEncoder().encode(json));
  return { status: 200, headers: new Headers({ "content-type": contentType }), body };
}

/** https://connectrpc.com/docs/protocol#unary-get-request and #error-codes */
function connectError(error: ConnectError): RefusalAnswer {
  const headers = new Headers(error.metadata);
  headers.set("content-type", contentTypeUnaryJson);
  return {
    status: codeToHttpStatus(error.code),
    headers,
    body: errorToJsonBytes(error, undefined),
  };
}
