import type { ServerResponse } from "node:http";
import { compressionNegotiate } from "@connectrpc/connect/protocol";
import {
  contentTypeJson,
  contentTypeProto,
  grpcStatusOk,
  headerAcceptEncoding,
  headerEncoding,
  headerGrpcStatus,
  headerTimeout,
  parseContentType,
  parseTimeout,
  setTrailerStatus,
} from "@connectrpc/connect/protocol-grpc";
import { type NodeServerResponse, writeHead } from "../../http/node-http.ts";
import { compressions } from "../compression.ts";
import { type Dialect, field, type UnaryExchange } from "../dialect.ts";
import { envelope, flagsOf, openEnvelope, prefixBytes } from "../envelope.ts";

const succeeded = { [headerGrpcStatus]: grpcStatusOk };

/** A unary call over HTTP/2: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
export const grpcUnary: Dialect = (request, _method, maxMessageBytes) => {
  if (request.method !== "POST" || request.httpVersionMajor < 2) return undefined;
  const type = parseContentType(field(request, "content-type"));
  if (!type) return undefined;
  const compression = compressionNegotiate(
    compressions,
    field(request, headerEncoding.toLowerCase()),
    field(request, headerAcceptEncoding.toLowerCase()),
    headerAcceptEncoding,
  );
  const fields: Record<string, string> = {
    "content-type": type.binary ? contentTypeProto : contentTypeJson,
  };
  if (compression.response) fields["grpc-encoding"] = compression.response.name;
  const exchange: UnaryExchange = {
    isBinary: type.binary,
    timeout: parseTimeout(field(request, headerTimeout.toLowerCase()), Number.MAX_SAFE_INTEGER),
    compression,
    overhead: () => prefixBytes,
    early: undefined,
    unpack: (body) => openEnvelope(body, maxMessageBytes),
    answer(response, message, { headersSet, trailersSet }) {
      writeHead(response, 200, headersSet ? { ...fields, ...headersSet } : fields);
      addTrailers(response, trailersSet ? { ...succeeded, ...trailersSet } : succeeded);
      response.end(envelope(flagsOf(message), message.data));
    },
    fail(response, error, { headersSet, trailersSet }) {
      const status = Object.fromEntries(setTrailerStatus(new Headers(trailersSet), error));
      if (headersSet) {
        writeHead(response, 200, { ...fields, ...headersSet });
        addTrailers(response, status);
      } else {
        // "Trailers-Only". The body may not have been read to its end: node would then drop trailers.
        // By no writeHead: it sends the fields at once, so that not they but an empty DATA frame end
        // the stream. Then they are no trailers, and clients miss the status.
        response.statusCode = 200;
        for (const [name, value] of Object.entries({ ...fields, ...status })) {
          response.setHeader(name, value);
        }
      }
      response.end();
    },
  };
  return exchange;
};

function addTrailers(response: NodeServerResponse, trailers: Record<string, string>): void {
  (response as ServerResponse).addTrailers(trailers);
}
