import { compressionNegotiate } from "@connectrpc/connect/protocol";
import {
  headerAcceptEncoding,
  headerEncoding,
  headerTimeout,
  parseTimeout,
} from "@connectrpc/connect/protocol-grpc";
import { memoize } from "../../call/memoize.ts";
import type { NodeServerRequest } from "../../http/exchange/node-http.ts";
import { acceptedEncodings, compressions } from "../compression.ts";
import { headerOf, type UnaryExchange } from "../unary-protocol.ts";

const encodingHeader = headerEncoding.toLowerCase();
const acceptEncodingHeader = headerAcceptEncoding.toLowerCase();
const timeoutHeader = headerTimeout.toLowerCase();

type Compression = UnaryExchange["compression"];

/** Longest list of accepted encodings that is remembered, in characters. */
const longestRemembered = 64;

/** What is negotiated for requests that are not compressed, by the list of accepted encodings. */
const ofPlainRequest = memoize((accepted: string) => negotiate(null, accepted), 100);
const noCompression: Compression = { request: null, response: null };
const noTimeout: UnaryExchange["timeout"] = {};

function negotiate(encoding: string | null, accepted: string | null): Compression {
  return compressionNegotiate(compressions, encoding, accepted, headerAcceptEncoding);
}

/** Returns the compression of a request and of its response. gRPC and gRPC-Web have the same headers. */
export function compressionOf(request: NodeServerRequest): Compression {
  const encoding = headerOf(request, encodingHeader);
  const accepted = headerOf(request, acceptEncodingHeader);
  if (encoding !== null) return negotiate(encoding, accepted);
  if (accepted === null) return noCompression;
  return accepted.length > longestRemembered ? negotiate(null, accepted) : ofPlainRequest(accepted);
}

/** Returns the timeout of a request. */
export function timeoutOf(request: NodeServerRequest): UnaryExchange["timeout"] {
  const timeout = headerOf(request, timeoutHeader);
  return timeout === null ? noTimeout : parseTimeout(timeout, Number.MAX_SAFE_INTEGER);
}

/** Makes the headers of a response. */
export function headersFor(
  contentType: string,
  { response, error }: Compression,
): Record<string, string> {
  const headers: Record<string, string> = { "content-type": contentType };
  if (response) headers["grpc-encoding"] = response.name;
  if (error) headers["grpc-accept-encoding"] = acceptedEncodings;
  return headers;
}
