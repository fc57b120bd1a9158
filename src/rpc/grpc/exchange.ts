import type { DescMethod } from "@bufbuild/protobuf";
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
import type { Metadata, Packed, Recognize, StreamExchange, UnaryExchange } from "../protocol.ts";
import { compressionOf, headersFor, timeoutOf } from "./negotiation.ts";
import { setStatus } from "./status.ts";

const succeeded = { [headerGrpcStatus.toLowerCase()]: grpcStatusOk };

/** A call of gRPC: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
export const grpc: Recognize<UnaryExchange & StreamExchange> = (
  request,
  method,
  maxMessageBytes,
) => {
  const type = request.method === "POST" ? rpcMediaTypeOf(request) : undefined;
  return type?.protocol === "grpc"
    ? new GrpcExchange(request, type.isBinary, method, maxMessageBytes)
    : undefined;
};

class GrpcExchange implements UnaryExchange, StreamExchange {
  readonly protocol = "grpc";
  readonly endBit = 0;
  readonly isBinary: boolean;
  readonly timeout: UnaryExchange["timeout"];
  readonly compression: UnaryExchange["compression"];
  readonly #method: DescMethod;
  readonly #maxMessageBytes: number;

  constructor(
    request: NodeServerRequest,
    isBinary: boolean,
    method: DescMethod,
    maxMessageBytes: number,
  ) {
    this.#method = method;
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
    return openEnvelope(body, this.#maxMessageBytes, this.#method);
  }

  succeed(response: NodeServerResponse, message: Packed, metadata: Metadata): void {
    this.begin(response, metadata);
    this.#addStatus(response, metadata);
    const { data } = message;
    if (data.length <= pieceBytes || typeof data === "string") response.end(this.encode(message));
    else endInPieces(response, envelopeInPieces(flagsOf(message), data));
  }

  begin(response: NodeServerResponse, { headersSet }: Metadata): void {
    response.writeHead(200, Object.assign(this.#headers(), headersSet));
  }

  encode(message: Packed): Uint8Array {
    return envelope(flagsOf(message), message.data);
  }

  end(response: NodeServerResponse, metadata: Metadata): void {
    this.#addStatus(response, metadata);
    response.end();
  }

  fail(response: NodeServerResponse, error: ConnectError, metadata: Metadata): void {
    const { headersSet, trailersSet } = metadata;
    const status = Object.fromEntries(setStatus(new Headers(trailersSet), error));
    // Clients of streams expect headers before the status.
    const isStream = this.#method.methodKind !== "unary";
    if (isStream && headersSet && !response.headersSent) this.begin(response, metadata);
    if (response.headersSent) response.addTrailers(status);
    // "Trailers-Only": all of the response is in its headers.
    else response.writeHead(200, Object.assign(this.#headers(), headersSet, status));
    response.end();
  }

  #addStatus(response: NodeServerResponse, { trailersSet }: Metadata): void {
    response.addTrailers(trailersSet ? { ...succeeded, ...trailersSet } : succeeded);
  }

  #headers(): Record<string, string> {
    return headersFor(this.isBinary ? contentTypeProto : contentTypeJson, this.compression);
  }
}
