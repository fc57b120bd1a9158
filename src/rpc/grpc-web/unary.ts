import {
  contentTypeJson,
  contentTypeProto,
  grpcStatusOk,
  headerGrpcStatus,
  parseContentType,
  setTrailerStatus,
  trailerFlag,
  trailerSerialize,
} from "@connectrpc/connect/protocol-grpc-web";
import { type NodeServerResponse, writeHead } from "../../http/node-http.ts";
import { type Dialect, field, type UnaryExchange } from "../dialect.ts";
import { envelope, flagsOf, messageLength, openEnvelope, prefixBytes } from "../envelope.ts";
import { negotiate } from "../grpc/negotiation.ts";
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

  function send(
    response: NodeServerResponse,
    pieces: readonly Buffer[],
    headersSet: Record<string, string> | undefined,
  ): void {
    const data = Buffer.concat(type?.text ? pieces.map(toBase64) : pieces);
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
      send(response, [envelope(flagsOf(message), message.data), trailers], headersSet);
    },
    fail(response, error, { headersSet, trailersSet }) {
      const trailers = setTrailerStatus(new Headers(trailersSet), error);
      send(response, [envelope(trailerFlag, trailerSerialize(trailers))], headersSet);
    },
  };
  return exchange;
};
