import {
  contentTypeJson,
  contentTypeProto,
  grpcStatusOk,
  headerGrpcStatus,
  parseContentType,
  trailerFlag,
  trailerSerialize,
} from "@connectrpc/connect/protocol-grpc-web";
import { type NodeServerResponse, writeHead } from "../../http/node-http.ts";
import { endInPieces, pieceBytes } from "../../http/send-pieces.ts";
import { acceptedEncodings } from "../compression.ts";
import { type Dialect, field, type UnaryExchange } from "../dialect.ts";
import {
  envelope,
  envelopeInPieces,
  flagsOf,
  messageLength,
  openEnvelope,
  prefixBytes,
} from "../envelope.ts";
import { negotiate } from "../grpc/negotiation.ts";
import { setStatus } from "../grpc/status.ts";
import { base64Length, fromBase64, textType, toBase64 } from "./text.ts";

const succeeded = envelope(trailerFlag, `${headerGrpcStatus.toLowerCase()}: ${grpcStatusOk}\r\n`);

/**
 * A unary call whose trailers are in the body, which can be base64:
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
 */
export const grpcWebUnary: Dialect = (request, _method, maxMessageBytes) => {
  const type =
    request.method === "POST" ? parseContentType(field(request, "content-type")) : undefined;
  if (!type) return undefined;
  const { compression, timeout } = negotiate(request);
  const mediaType = type.binary ? contentTypeProto : contentTypeJson;
  const fields: Record<string, string | number> = {
    "content-type": type.text ? textType(mediaType) : mediaType,
  };
  if (compression.response) fields["grpc-encoding"] = compression.response.name;
  if (compression.error) fields["grpc-accept-encoding"] = acceptedEncodings;

  const encode = (piece: Uint8Array) => (type.text ? toBase64(piece) : piece);

  /** Sends a long message without a copy of it. */
  function sendLong(
    response: NodeServerResponse,
    flags: number,
    data: Uint8Array,
    trailers: Buffer,
    headersSet: Record<string, string> | undefined,
  ): void {
    const sizes = [prefixBytes, data.length, trailers.length];
    const length = sizes.reduce((sum, size) => sum + (type?.text ? base64Length(size) : size), 0);
    writeHead(response, 200, { ...fields, "content-length": length, ...headersSet });
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
    writeHead(response, 200, { ...fields, "content-length": data.length, ...headersSet });
    response.end(data);
  }

  const exchange: UnaryExchange = {
    isBinary: type.binary,
    timeout,
    compression,
    longestBody: (messageBytes) =>
      type.text ? base64Length(prefixBytes + messageBytes) : prefixBytes + messageBytes,
    declaredSize: (start) =>
      messageLength(type.text ? fromBase64(start.subarray(0, base64Length(prefixBytes))) : start),
    early: undefined,
    unpack: (body) => openEnvelope(type.text ? fromBase64(body) : body, maxMessageBytes),
    answer(response, message, { headersSet, trailersSet }) {
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
