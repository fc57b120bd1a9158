import type { DescMethodUnary } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { compressionNegotiate, mergeNonProtocolHeaders } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  errorToJsonBytes,
  headerTimeout,
  headerUnaryAcceptEncoding,
  headerUnaryEncoding,
  parseContentType,
  parseTimeout,
} from "@connectrpc/connect/protocol-connect";
import { cacheControl } from "../../http/caching.ts";
import { declaredLength } from "../../http/leave-body.ts";
import { type NodeServerRequest, writeHead } from "../../http/node-http.ts";
import { endWith } from "../../http/send-pieces.ts";
import { compressions } from "../compression.ts";
import { type Dialect, field, type UnaryExchange } from "../dialect.ts";
import { messageTooLarge } from "../size-limit.ts";
import { sendNotModified } from "./conditional-get.ts";
import { type GetRequest, parseGet } from "./get.ts";

/** A unary call by POST, and by GET where the method has no side effects: https://connectrpc.com/docs/protocol */
export const connectUnary: Dialect = (request, method, maxMessageBytes) => {
  const get = getOf(request, method);
  const type = get ?? postedType(request);
  if (!type) return undefined;
  const compression = compressionNegotiate(
    compressions,
    get ? get.compression : field(request, headerUnaryEncoding.toLowerCase()),
    field(request, headerUnaryAcceptEncoding.toLowerCase()),
    headerUnaryAcceptEncoding,
  );
  const isCompressed = compression.request !== null;
  const exchange: UnaryExchange = {
    isBinary: type.binary,
    timeout: parseTimeout(field(request, headerTimeout.toLowerCase()), Number.MAX_SAFE_INTEGER),
    compression,
    longestBody: (messageBytes) => messageBytes,
    declaredSize: () => declaredLength(request),
    early: get && (() => ({ data: get.message(), isCompressed })),
    unpack(data) {
      if (data.length > maxMessageBytes) throw messageTooLarge(data.length, maxMessageBytes);
      return { data, isCompressed };
    },
    answer(response, { data, isCompressed }, { headersSet, trailersSet }) {
      const fields: Record<string, string | number> = {
        "content-type": type.binary ? contentTypeUnaryProto : contentTypeUnaryJson,
        "content-length": Buffer.byteLength(data),
        ...headersSet,
      };
      if (isCompressed) fields["content-encoding"] = compression.response?.name ?? "identity";
      for (const [name, value] of Object.entries(trailersSet ?? {})) {
        fields[`trailer-${name}`] = value;
      }
      if (get && sendNotModified(request, response, fields)) return;
      writeHead(response, 200, fields);
      if (typeof data === "string") response.end(data);
      else endWith(response, data);
    },
    fail(response, error, { headersSet, trailersSet }) {
      const fields = new Headers(headersSet);
      mergeNonProtocolHeaders(fields, error.metadata);
      for (const [name, value] of Object.entries(trailersSet ?? {})) {
        fields.append(`trailer-${name}`, value);
      }
      const body = errorToJsonBytes(error, undefined);
      writeHead(response, codeToHttpStatus(error.code), {
        ...cacheControl({ request, response }, undefined),
        ...Object.fromEntries(fields),
        "content-type": contentTypeUnaryJson,
        "content-length": body.length,
      });
      response.end(body);
    },
  };
  return exchange;
};

function getOf(request: NodeServerRequest, method: DescMethodUnary): GetRequest | undefined {
  return request.method === "GET" && method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS
    ? parseGet(request.url ?? "")
    : undefined;
}

function postedType(request: NodeServerRequest): { readonly binary: boolean } | undefined {
  const type =
    request.method === "POST" ? parseContentType(field(request, "content-type")) : undefined;
  return type?.stream === false ? type : undefined;
}
