import {
  headerAcceptEncoding,
  headerEncoding,
  headerTimeout,
  parseTimeout,
} from "@connectrpc/connect/protocol-grpc";
import type { NodeServerRequest } from "../../http/exchange/node-http.ts";
import {
  acceptedEncodings,
  codedBodyFault,
  type Negotiated,
  negotiateCompression,
} from "../compression.ts";
import { headerOf, type UnaryExchange } from "../unary-protocol.ts";

const encodingHeader = headerEncoding.toLowerCase();
const acceptEncodingHeader = headerAcceptEncoding.toLowerCase();
const timeoutHeader = headerTimeout.toLowerCase();

const noCompression: Negotiated = { request: null, response: null, error: undefined };
const noTimeout: UnaryExchange["timeout"] = {};

/** Returns the compression of a request and of its response. gRPC and gRPC-Web have the same headers. */
export function compressionOf(request: NodeServerRequest): Negotiated {
  const fault = codedBodyFault(request);
  if (fault) return { ...noCompression, error: fault };
  const encoding = headerOf(request, encodingHeader);
  const accepted = headerOf(request, acceptEncodingHeader);
  if (encoding === null && accepted === null) return noCompression;
  return negotiateCompression(encoding, accepted, acceptEncodingHeader);
}

/** Returns the timeout of a request. */
export function timeoutOf(request: NodeServerRequest): UnaryExchange["timeout"] {
  const timeout = headerOf(request, timeoutHeader);
  return timeout === null ? noTimeout : parseTimeout(timeout, Number.MAX_SAFE_INTEGER);
}

/** Makes the headers of a response. */
export function headersFor(
  contentType: string,
  { response, error }: Negotiated,
): Record<string, string> {
  const headers: Record<string, string> = { "content-type": contentType };
  if (response) headers["grpc-encoding"] = response.name;
  if (error) headers["grpc-accept-encoding"] = acceptedEncodings;
  return headers;
}
