import type { DescMethod } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  errorToJsonBytes,
  headerProtocolVersion,
} from "@connectrpc/connect/protocol-connect";
import type { HeaderValues } from "../call/call-error.ts";
import { setCacheControl } from "../http/content/caching.ts";
import { type ErrorResponse, httpError, methodNotAllowed } from "../http/error-response.ts";
import type { Exchange } from "../http/exchange/exchange.ts";
import { allowsGet } from "./connect/get.ts";
import { type RpcMediaType, rpcMediaTypeOf } from "./media-type.ts";
import type { SentError } from "./sent-error.ts";

/** Returns the protocol of a response to a request. */
export function protocolOf(request: Exchange): RpcMediaType["protocol"] {
  return rpcMediaTypeOf(request)?.protocol ?? "connect";
}

/** Returns whether the client expects a response in an RPC protocol, even if there is no such method. */
export function expectsRpc(request: Exchange): boolean {
  if (request.method !== "POST") return false;
  const type = rpcMediaTypeOf(request);
  if (type?.isBinary || type?.framing) return true;
  return request.headers[headerProtocolVersion.toLowerCase()] !== undefined;
}

/** Connect's clients take JSON without a parameter for an error of Connect, which has no `status`. */
const notOfConnect = { "content-type": "application/json; charset=utf-8" };

/** Returns the error for a request that no RPC protocol has for a method: 405 or 415. */
export function otherForm(method: DescMethod, request: Exchange): ErrorResponse {
  const isUnary = method.methodKind === "unary";
  const allow = isUnary && allowsGet(method) ? "GET, POST" : "POST";
  const isMethod = isUnary
    ? allow.split(", ").includes(request.method ?? "")
    : !rpcMediaTypeOf(request)?.framing;
  if (!isMethod) {
    const error = methodNotAllowed(allow);
    return { ...error, headers: { ...error.headers, ...notOfConnect } };
  }
  const type = isUnary ? "application/json" : "application/connect+json";
  const message =
    isUnary && request.method === "GET"
      ? "The query parameter encoding must be json or proto. Or send a POST with a content type such as application/json."
      : `The method cannot be called with this content type. Send a POST with one such as ${type}.`;
  return httpError("UNSUPPORTED_MEDIA_TYPE", message, notOfConnect);
}

/** Sends a response that has an error and no messages, in the client's protocol. */
export function sendErrorOnly(
  response: Exchange,
  { framing, form, name }: RpcMediaType,
  error: SentError,
  trailers?: HeaderValues,
): void {
  if (!framing) {
    sendConnectError(response, error, trailers);
    return;
  }
  const ending = framing.ending(error, trailers);
  if (ending instanceof Uint8Array) {
    const body = form.encode(ending);
    response.writeHead(200, { "content-type": name, "content-length": body.length });
    response.end(body);
  } else {
    // "Trailers-Only": all of the response is in its headers.
    response.writeHead(200, { ...ending, "content-type": name });
    response.end();
  }
}

/** Sends an error of a unary call of Connect: https://connectrpc.com/docs/protocol#unary-get-request and #error-codes */
export function sendConnectError(
  response: Exchange,
  error: SentError,
  trailers: HeaderValues = {},
  status = codeToHttpStatus(error.code),
): void {
  const muxed: Record<string, string> = {};
  for (const name in trailers) muxed[`trailer-${name}`] = String(trailers[name]);
  const body = errorToJsonBytes(error as unknown as ConnectError, undefined);
  setCacheControl(response);
  response.writeHead(status, {
    ...error.headers,
    ...muxed,
    "content-type": contentTypeUnaryJson,
    "content-length": body.length,
  });
  response.end(body);
}
