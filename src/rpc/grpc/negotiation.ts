import { compressionNegotiate } from "@connectrpc/connect/protocol";
import {
  headerAcceptEncoding,
  headerEncoding,
  headerTimeout,
  parseTimeout,
} from "@connectrpc/connect/protocol-grpc";
import type { NodeServerRequest } from "../../http/node-http.ts";
import { compressions } from "../compression.ts";
import { field, type UnaryExchange } from "../dialect.ts";

const encodingField = headerEncoding.toLowerCase();
const acceptEncodingField = headerAcceptEncoding.toLowerCase();
const timeoutField = headerTimeout.toLowerCase();

/** What the header section of a gRPC or gRPC-Web request says of compression and time: both have the same fields. */
export function negotiate(
  request: NodeServerRequest,
): Pick<UnaryExchange, "compression" | "timeout"> {
  return {
    compression: compressionNegotiate(
      compressions,
      field(request, encodingField),
      field(request, acceptEncodingField),
      headerAcceptEncoding,
    ),
    timeout: parseTimeout(field(request, timeoutField), Number.MAX_SAFE_INTEGER),
  };
}
