import type { DescMethod } from "@bufbuild/protobuf";
import { mergeNonProtocolHeaders } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  errorToJsonBytes,
  headerTimeout,
  headerUnaryAcceptEncoding,
  headerUnaryEncoding,
  parseTimeout,
} from "@connectrpc/connect/protocol-connect";
import { cacheControl } from "../../http/content/caching.ts";
import type { NodeServerRequest } from "../../http/exchange/node-http.ts";
import { endWith } from "../../http/exchange/send-pieces.ts";
import { negotiateCompression } from "../compression.ts";
import { messageTooLarge } from "../limits/size-limit.ts";
import { rpcMediaTypeOf } from "../media-type.ts";
import { headerOf, type Recognize, type UnaryExchange } from "../protocol.ts";
import { sendNotModified } from "./conditional-get.ts";
import { allowsGet, type GetRequest, parseGet } from "./get.ts";

/** A unary call by POST, and by GET where the method has no side effects: https://connectrpc.com/docs/protocol */
export const connectUnary: Recognize<UnaryExchange> = (request, method, maxMessageBytes) => {
  const get = getOf(request, method);
  const type = get ?? postedType(request);
  if (!type) return undefined;
  const compression = negotiateCompression(
    get ? get.compression : headerOf(request, headerUnaryEncoding.toLowerCase()),
    headerOf(request, headerUnaryAcceptEncoding.toLowerCase()),
    headerUnaryAcceptEncoding,
  );
  const isCompressed = compression.request !== null;
  const exchange: UnaryExchange = {
    protocol: "connect",
    isBinary: type.isBinary,
    timeout: parseTimeout(headerOf(request, headerTimeout.toLowerCase()), Number.MAX_SAFE_INTEGER),
    compression,
    longestBody: (messageBytes) => messageBytes,
    declaredSize: () => request.declaredLength,
    messageInQuery: get && (() => exchange.unpack(get.message())),
    unpack(data) {
      if (data.length > maxMessageBytes) throw messageTooLarge(data.length, maxMessageBytes);
      return { data, isCompressed };
    },
    succeed(response, { data, isCompressed }, { headersSet, trailersSet }) {
      const headers: Record<string, string | number> = {
        "content-type": type.isBinary ? contentTypeUnaryProto : contentTypeUnaryJson,
        "content-length": Buffer.byteLength(data),
        ...headersSet,
      };
      if (isCompressed) headers["content-encoding"] = compression.response?.name ?? "identity";
      for (const [name, value] of Object.entries(trailersSet ?? {})) {
        headers[`trailer-${name}`] = value;
      }
      if (get && sendNotModified(response, headers)) return;
      response.writeHead(200, headers);
      if (typeof data === "string") response.end(data);
      else endWith(response, data);
    },
    fail(response, error, { headersSet, trailersSet }) {
      const headers = new Headers(headersSet);
      mergeNonProtocolHeaders(headers, error.metadata);
      for (const [name, value] of Object.entries(trailersSet ?? {})) {
        headers.append(`trailer-${name}`, value);
      }
      const body = errorToJsonBytes(error, undefined);
      response.writeHead(codeToHttpStatus(error.code), {
        ...cacheControl(response),
        ...Object.fromEntries(headers),
        "content-type": contentTypeUnaryJson,
        "content-length": body.length,
      });
      response.end(body);
    },
  };
  return exchange;
};

function getOf(request: NodeServerRequest, method: DescMethod): GetRequest | undefined {
  return request.method === "GET" && allowsGet(method) ? parseGet(request.url ?? "") : undefined;
}

function postedType(request: NodeServerRequest): { readonly isBinary: boolean } | undefined {
  const type = request.method === "POST" ? rpcMediaTypeOf(request) : undefined;
  return type?.isEnveloped === false ? type : undefined;
}
