import {
  contentTypeJson,
  contentTypeProto,
  grpcStatusOk,
  headerGrpcStatus,
  parseContentType,
} from "@connectrpc/connect/protocol-grpc";
import { endInPieces, pieceBytes } from "../../http/exchange/send-pieces.ts";
import {
  envelope,
  envelopeInPieces,
  flagsOf,
  messageLength,
  openEnvelope,
  prefixBytes,
} from "../codec.ts";
import { acceptedEncodings } from "../compression.ts";
import { headerOf, type UnaryExchange, type UnaryProtocol } from "../unary-protocol.ts";
import { negotiate } from "./negotiation.ts";
import { setStatus } from "./status.ts";

const succeeded = { [headerGrpcStatus.toLowerCase()]: grpcStatusOk };

/** A unary call of gRPC: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
export const grpcUnary: UnaryProtocol = (request, _method, maxMessageBytes) => {
  const type =
    request.method === "POST" ? parseContentType(headerOf(request, "content-type")) : undefined;
  if (!type) return undefined;
  const { compression, timeout } = negotiate(request);
  const headers: Record<string, string> = {
    "content-type": type.binary ? contentTypeProto : contentTypeJson,
  };
  if (compression.response) headers["grpc-encoding"] = compression.response.name;
  if (compression.error) headers["grpc-accept-encoding"] = acceptedEncodings;
  const exchange: UnaryExchange = {
    protocol: "grpc",
    isBinary: type.binary,
    timeout,
    compression,
    longestBody: (messageBytes) => prefixBytes + messageBytes,
    declaredSize: messageLength,
    messageInQuery: undefined,
    unpack: (body) => openEnvelope(body, maxMessageBytes),
    succeed(response, message, { headersSet, trailersSet }) {
      response.writeHead(200, headersSet ? { ...headers, ...headersSet } : headers);
      response.addTrailers(trailersSet ? { ...succeeded, ...trailersSet } : succeeded);
      const { data } = message;
      if (data.length <= pieceBytes || typeof data === "string") {
        response.end(envelope(flagsOf(message), data));
      } else {
        endInPieces(response, envelopeInPieces(flagsOf(message), data));
      }
    },
    fail(response, error, { headersSet, trailersSet }) {
      const status = Object.fromEntries(setStatus(new Headers(trailersSet), error));
      if (headersSet && Object.keys(headersSet).length > 0) {
        response.writeHead(200, { ...headers, ...headersSet });
        response.addTrailers(status);
      } else {
        // "Trailers-Only": all of the response is in its headers.
        response.writeHead(200, { ...headers, ...status });
      }
      response.end();
    },
  };
  return exchange;
};
