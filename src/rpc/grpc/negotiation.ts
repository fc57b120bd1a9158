import { compressionNegotiate } from "@connectrpc/connect/protocol";
import {
  headerAcceptEncoding,
  headerEncoding,
  headerTimeout,
  parseTimeout,
} from "@connectrpc/connect/protocol-grpc";
import type { NodeServerRequest } from "../../http/exchange/node-http.ts";
import { compressions } from "../compression.ts";
import { headerOf, type UnaryExchange } from "../unary-protocol.ts";

const encodingHeader = headerEncoding.toLowerCase();
const acceptEncodingHeader = headerAcceptEncoding.toLowerCase();
const timeoutHeader = headerTimeout.toLowerCase();

/** Reads compression and timeout from the headers of a request. gRPC and gRPC-Web have the same headers. */
export function negotiate(
  request: NodeServerRequest,
): Pick<UnaryExchange, "compression" | "timeout"> {
  return {
    compression: compressionNegotiate(
      compressions,
      headerOf(request, encodingHeader),
      headerOf(request, acceptEncodingHeader),
      headerAcceptEncoding,
    ),
    timeout: parseTimeout(headerOf(request, timeoutHeader), Number.MAX_SAFE_INTEGER),
  };
}
