import {
  contentTypeJson,
  contentTypeProto,
  grpcStatusOk,
  headerGrpcStatus,
  parseContentType,
} from "@connectrpc/connect/protocol-grpc";
import { writeHead } from "../../http/node-http.ts";
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
import { negotiate } from "./negotiation.ts";
import { setStatus } from "./status.ts";

const succeeded = { [headerGrpcStatus.toLowerCase()]: grpcStatusOk };

/** A unary call over HTTP/2: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
export const grpcUnary: Dialect = (request, _method, maxMessageBytes) => {
  if (request.method !== "POST" || request.httpVersionMajor < 2) return undefined;
  const type = parseContentType(field(request, "content-type"));
  if (!type) return undefined;
  const { compression, timeout } = negotiate(request);
  const fields: Record<string, string> = {
    "content-type": type.binary ? contentTypeProto : contentTypeJson,
  };
  if (compression.response) fields["grpc-encoding"] = compression.response.name;
  if (compression.error) fields["grpc-accept-encoding"] = acceptedEncodings;
  const exchange: UnaryExchange = {
    isBinary: type.binary,
    timeout,
    compression,
    longestBody: (messageBytes) => prefixBytes + messageBytes,
    declaredSize: messageLength,
    early: undefined,
    unpack: (body) => openEnvelope(body, maxMessageBytes),
    answer(response, message, { headersSet, trailersSet }) {
      writeHead(response, 200, headersSet ? { ...fields, ...headersSet } : fields);
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
        writeHead(response, 200, { ...fields, ...headersSet });
        response.addTrailers(status);
      } else {
        // "Trailers-Only": one header section and nothing else.
        writeHead(response, 200, { ...fields, ...status });
      }
      response.end();
    },
  };
  return exchange;
};
