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
import type { UnaryExchange, UnaryProtocol } from "../unary-protocol.ts";
import { base64Length, fromBase64, textType, toBase64 } from "./text.ts";

const succeeded = envelope(trailerFlag, `${headerGrpcStatus.toLowerCase()}: ${grpcStatusOk}\r\n`);

/**
 * A unary call of gRPC-Web, which has its trailers in the body. The body can be in base64:
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
 */
export const grpcWebUnary: UnaryProtocol = (request, _method, maxMessageBytes) => {
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

  const exchange: UnaryExchange = {
    protocol: "grpc_web",
    isBinary: type.isBinary,
    timeout: timeoutOf(request),
    compression,
    longestBody: (messageBytes) =>
      type.isText ? base64Length(prefixBytes + messageBytes) : prefixBytes + messageBytes,
    declaredSize: (start) =>
      messageSize(type.isText ? fromBase64(start.subarray(0, base64Length(prefixBytes))) : start),
    unpack: (body) => openEnvelope(type.isText ? fromBase64(body) : body, maxMessageBytes),
    succeed(response, message, { headersSet, trailersSet }) {
      const trailers = trailersSet
        ? envelope(
            trailerFlag,
            trailerSerialize(new Headers({ [headerGrpcStatus]: grpcStatusOk, ...trailersSet })),
          )
        : succeeded;
      const { data } = message;
      const flags = flagsOf(message);
      if (data.length <= pieceBytes || typeof data === "string") {
        send(response, [envelope(flags, data), trailers], headersSet);
      } else {
        sendLong(response, flags, data, trailers, headersSet);
      }
    },
    fail(response, error, { headersSet, trailersSet }) {
      const trailers = setStatus(new Headers(trailersSet), error);
      send(response, [envelope(trailerFlag, trailerSerialize(trailers))], headersSet);
    },
  };
  return exchange;
};
