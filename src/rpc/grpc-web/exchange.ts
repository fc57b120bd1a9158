import {
  contentTypeJson,
  contentTypeProto,
  grpcStatusOk,
  headerGrpcStatus,
  trailerFlag,
  trailerSerialize,
} from "@connectrpc/connect/protocol-grpc-web";
import type { NodeServerResponse } from "../../http/exchange/node-http.ts";
import { endInPieces, pieceBytes } from "../../http/exchange/send-pieces.ts";
import {
  envelope,
  envelopeInPieces,
  flagsOf,
  messageSize,
  openEnvelope,
  prefixBytes,
} from "../codec.ts";
import { compressionOf, headersFor, timeoutOf } from "../grpc/negotiation.ts";
import { setStatus } from "../grpc/status.ts";
import { rpcMediaTypeOf } from "../media-type.ts";
import type { Metadata, Packed, Recognize, StreamExchange, UnaryExchange } from "../protocol.ts";
import { base64Length, fromBase64, fromBase64Pieces, textType, toBase64 } from "./text.ts";

const succeeded = envelope(trailerFlag, `${headerGrpcStatus.toLowerCase()}: ${grpcStatusOk}\r\n`);

/**
 * A call of gRPC-Web, which has its trailers in the body. The body can be in base64:
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
 */
export const grpcWeb: Recognize<UnaryExchange & StreamExchange> = (
  request,
  method,
  maxMessageBytes,
) => {
  const type = request.method === "POST" ? rpcMediaTypeOf(request) : undefined;
  if (type?.protocol !== "grpc_web") return undefined;
  const compression = compressionOf(request);
  const mediaType = type.isBinary ? contentTypeProto : contentTypeJson;
  const headers = headersFor(type.isText ? textType(mediaType) : mediaType, compression);

  const encode = (piece: Uint8Array) => (type.isText ? toBase64(piece) : piece);

  /** Sends a long message without copying it. */
  function sendLong(
    response: NodeServerResponse,
    flags: number,
    data: Uint8Array,
    trailers: Buffer,
    headersSet: Record<string, string> | undefined,
  ): void {
    const sizes = [prefixBytes, data.length, trailers.length];
    const length = sizes.reduce((sum, size) => sum + (type?.isText ? base64Length(size) : size), 0);
    response.writeHead(200, { ...headers, "content-length": length, ...headersSet });
    function* pieces() {
      for (const piece of envelopeInPieces(flags, data)) yield encode(piece);
      yield encode(trailers);
    }
    endInPieces(response, pieces());
  }

  function send(
    response: NodeServerResponse,
    pieces: readonly Buffer[],
    headersSet: Record<string, string> | undefined,
  ): void {
    const data = Buffer.concat(pieces.map(encode));
    response.writeHead(200, { ...headers, "content-length": data.length, ...headersSet });
    response.end(data);
  }

  function successTrailers({ trailersSet }: Metadata): Buffer {
    if (!trailersSet) return succeeded;
    const trailers = new Headers({ [headerGrpcStatus]: grpcStatusOk, ...trailersSet });
    return envelope(trailerFlag, trailerSerialize(trailers));
  }

  return {
    protocol: "grpc_web",
    isBinary: type.isBinary,
    timeout: timeoutOf(request),
    compression,
    endBit: trailerFlag,
    longestBody: (messageBytes) =>
      type.isText ? base64Length(prefixBytes + messageBytes) : prefixBytes + messageBytes,
    declaredSize: (start) =>
      messageSize(type.isText ? fromBase64(start.subarray(0, base64Length(prefixBytes))) : start),
    unpack: (body) => openEnvelope(type.isText ? fromBase64(body) : body, maxMessageBytes, method),
    decode: type.isText ? fromBase64Pieces : undefined,
    succeed(response, message, metadata) {
      const trailers = successTrailers(metadata);
      const { data } = message;
      const flags = flagsOf(message);
      if (data.length <= pieceBytes || typeof data === "string") {
        send(response, [envelope(flags, data), trailers], metadata.headersSet);
      } else {
        sendLong(response, flags, data, trailers, metadata.headersSet);
      }
    },
    begin: (response, { headersSet }) =>
      void response.writeHead(200, { ...headers, ...headersSet }),
    encode: (message: Packed) => encode(envelope(flagsOf(message), message.data)),
    end: (response, metadata) => void response.end(encode(successTrailers(metadata))),
    fail(response, error, { headersSet, trailersSet }) {
      const status = setStatus(new Headers(trailersSet), error);
      const trailers = envelope(trailerFlag, trailerSerialize(status));
      if (response.headersSent) response.end(encode(trailers));
      else send(response, [trailers], headersSet);
    },
  };
};
