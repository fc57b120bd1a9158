import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

/** A request as node:http, or the compatibility API of node:http2, has it. */
export type NodeServerRequest = IncomingMessage | Http2ServerRequest;

/** The answer to a {@link NodeServerRequest}. */
export type NodeServerResponse = ServerResponse | Http2ServerResponse;
