import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { compatExchange } from "../../server/node-internals/http2-session.ts";
import type { Http2Response } from "./http2-exchange.ts";

/**
 * The host of requests that connect-node takes. It builds a URL that nothing reads, and throws if there is no host, as in
 * HTTP/1.0, or one that WHATWG's URLs refuse, such as `inventory-1.0`.
 */
export const anyHost = "localhost";

/** A request and response of Node's own classes, which connect-node requires. */
export interface NodeExchange {
  readonly request: IncomingMessage | Http2ServerRequest;
  readonly response: ServerResponse | Http2ServerResponse;
  /** Copies the headers set on the service's response. Call it when all of them are set. */
  copyHeaders(): void;
}

/** Makes Node's request and response for an HTTP/2 exchange. Those of HTTP/1.1 are Node's already. */
export function http2NodeExchange(response: Http2Response, onCut: () => void): NodeExchange {
  const request = response.req;
  const { stream, headers, rawHeaders } = request;
  headers[":authority"] = anyHost;
  const { request: nodeRequest, response: nodeResponse } = compatExchange(
    stream,
    headers,
    rawHeaders,
  );
  const write = nodeResponse.write.bind(nodeResponse) as (...args: unknown[]) => boolean;
  const writeAndCount = (chunk: string | Uint8Array, ...rest: unknown[]) =>
    response.written(chunk.length, write(chunk, ...rest));
  nodeResponse.write = writeAndCount;
  const end = nodeResponse.end.bind(nodeResponse) as (...args: unknown[]) => Http2ServerResponse;
  const handOverAndEnd = (...rest: unknown[]) => {
    response.handOver();
    return end(...rest);
  };
  nodeResponse.end = handOverAndEnd;
  request.onBodyAborted(() => {
    nodeRequest.destroy();
    onCut();
  });
  if (stream.readableEnded) nodeRequest.push(null);
  return {
    request: nodeRequest,
    response: nodeResponse,
    copyHeaders() {
      for (const [name, value] of Object.entries(response.getHeaders())) {
        nodeResponse.setHeader(name, value as string);
      }
    },
  };
}
