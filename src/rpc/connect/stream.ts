import type { ConnectError } from "@connectrpc/connect";
import {
  endStreamFlag,
  endStreamToJson,
  headerStreamAcceptEncoding,
  headerStreamEncoding,
  headerTimeout,
  parseTimeout,
} from "@connectrpc/connect/protocol-connect";
import { envelope, flagsOf, messageSize, openEnvelope, prefixBytes } from "../codec.ts";
import { compressionOfMessages } from "../compression.ts";
import { rpcMediaTypeOf } from "../media-type.ts";
import { headerOf, type Recognize, type StreamExchange } from "../protocol.ts";

const encodingHeader = headerStreamEncoding.toLowerCase();
const acceptEncodingHeader = headerStreamAcceptEncoding.toLowerCase();
const timeoutHeader = headerTimeout.toLowerCase();

/** The end of a stream without trailers. */
const succeeded = envelope(endStreamFlag, "{}");

/** A streaming call of Connect: https://connectrpc.com/docs/protocol#streaming-rpcs */
export const connectStream: Recognize<StreamExchange> = (request, method, maxMessageBytes) => {
  const type = request.method === "POST" ? rpcMediaTypeOf(request) : undefined;
  if (type?.protocol !== "connect" || !type.isEnveloped) return undefined;
  const compression = compressionOfMessages(request, encodingHeader, acceptEncodingHeader);
  const exchange: StreamExchange = {
    protocol: "connect",
    isBinary: type.isBinary,
    timeout: parseTimeout(headerOf(request, timeoutHeader), Number.MAX_SAFE_INTEGER),
    compression,
    endBit: endStreamFlag,
    longestBody: (messageBytes) => prefixBytes + messageBytes,
    declaredSize: messageSize,
    unpack: (body) => openEnvelope(body, maxMessageBytes, method),
    begin(response, { headersSet }) {
      const headers: Record<string, string> = { "content-type": type.name };
      if (compression.response) headers[encodingHeader] = compression.response.name;
      response.writeHead(200, { ...headers, ...headersSet });
    },
    encode: (message) => envelope(flagsOf(message), message.data),
    end: (response, { trailersSet }) =>
      void response.end(trailersSet ? endOfStream(undefined, trailersSet) : succeeded),
    fail(response, error, metadata) {
      if (!response.headersSent) exchange.begin(response, metadata);
      response.end(endOfStream(error, metadata.trailersSet));
    },
  };
  return exchange;
};

/** Returns the last envelope of a stream: https://connectrpc.com/docs/protocol#error-end-stream */
export function endOfStream(
  error: ConnectError | undefined,
  trailers?: Readonly<Record<string, string>>,
): Buffer {
  const end = endStreamToJson(new Headers(trailers), error, undefined);
  return envelope(endStreamFlag, JSON.stringify(end));
}
