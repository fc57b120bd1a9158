import {
  headerAcceptEncoding,
  headerEncoding,
  headerTimeout,
  parseTimeout,
} from "@connectrpc/connect/protocol-grpc";
import type { NodeServerRequest } from "../../http/exchange/node-http.ts";
import { acceptedEncodings, compressionOfMessages, type Negotiated } from "../compression.ts";
import { type Exchange, headerOf } from "../protocol.ts";

const encodingHeader = headerEncoding.toLowerCase();
const acceptEncodingHeader = headerAcceptEncoding.toLowerCase();
const timeoutHeader = headerTimeout.toLowerCase();

const noTimeout: Exchange["timeout"] = {};

/** Returns the compression of a request and of its response. gRPC and gRPC-Web have the same headers. */
export function compressionOf(request: NodeServerRequest): Negotiated {
  return compressionOfMessages(request, encodingHeader, acceptEncodingHeader);
}

/** Returns the timeout of a request. */
export function timeoutOf(request: NodeServerRequest): Exchange["timeout"] {
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
