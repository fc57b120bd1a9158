import type { ConnectError } from "@connectrpc/connect";
import {
  contentTypeJson,
  contentTypeProto,
  grpcStatusOk,
  headerGrpcStatus,
} from "@connectrpc/connect/protocol-grpc";
import type { NodeServerRequest, NodeServerResponse } from "../../http/exchange/node-http.ts";
import { endInPieces, pieceBytes } from "../../http/exchange/send-pieces.ts";
import {
  envelope,
  envelopeInPieces,
  flagsOf,
  messageSize,
  openEnvelope,
  prefixBytes,
} from "../codec.ts";
import { rpcMediaTypeOf } from "../media-type.ts";
import type { Metadata, Packed, UnaryExchange, UnaryProtocol } from "../unary-protocol.ts";
import { compressionOf, headersFor, timeoutOf } from "./negotiation.ts";
import { setStatus } from "./status.ts";

const succeeded = { [headerGrpcStatus.toLowerCase()]: grpcStatusOk };

/** A unary call of gRPC: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
export const grpcUnary: UnaryProtocol = (request, _method, maxMessageBytes) => {
  const type = request.method === "POST" ? rpcMediaTypeOf(request) : undefined;
  return type?.protocol === "grpc"
    ? new GrpcExchange(request, type.isBinary, maxMessageBytes)
    : undefined;
};

class GrpcExchange implements UnaryExchange {
  readonly protocol = "grpc";
  readonly isBinary: boolean;
  readonly timeout: UnaryExchange["timeout"];
  readonly compression: UnaryExchange["compression"];
  readonly #maxMessageBytes: number;

  constructor(request: NodeServerRequest, isBinary: boolean, maxMessageBytes: number) {
    this.isBinary = isBinary;
    this.timeout = timeoutOf(request);
    this.compression = compressionOf(request);
    this.#maxMessageBytes = maxMessageBytes;
  }

  longestBody(messageBytes: number): number {
    return prefixBytes + messageBytes;
  }

  declaredSize(start: Uint8Array): number | undefined {
    return messageSize(start);
  }

  unpack(body: Uint8Array): Packed<Uint8Array> {
    return openEnvelope(body, this.#maxMessageBytes);
  }

  succeed(response: NodeServerResponse, message: Packed, metadata: Metadata): void {
    const { headersSet, trailersSet } = metadata;
    response.writeHead(200, Object.assign(this.#headers(), headersSet));
    response.addTrailers(trailersSet ? { ...succeeded, ...trailersSet } : succeeded);
    const { data } = message;
    if (data.length <= pieceBytes || typeof data === "string") {
      response.end(envelope(flagsOf(message), data));
    } else {
      endInPieces(response, envelopeInPieces(flagsOf(message), data));
    }
  }

  fail(response: NodeServerResponse, error: ConnectError, metadata: Metadata): void {
    const { headersSet, trailersSet } = metadata;
    const status = Object.fromEntries(setStatus(new Headers(trailersSet), error));
    if (headersSet && Object.keys(headersSet).length > 0) {
      response.writeHead(200, Object.assign(this.#headers(), headersSet));
      response.addTrailers(status);
    } else {
      // "Trailers-Only": all of the response is in its headers.
      response.writeHead(200, Object.assign(this.#headers(), status));
    }
    response.end();
  }

  #headers(): Record<string, string> {
    return headersFor(this.isBinary ? contentTypeProto : contentTypeJson, this.compression);
  }
}
