import { constants } from "node:http2";
import { guarded } from "../../call/guard.ts";
import { setReadTimeout } from "../../call/read-timeout.ts";
import type { Http2Request } from "../../http/exchange/http2-exchange.ts";
import {
  failExchange,
  type NodeServerRequest,
  type NodeServerResponse,
} from "../../http/exchange/node-http.ts";
import { sendError } from "../send-error.ts";
import { protocolErrors } from "./protocol-errors.ts";

/**
 * Refuses a request with 408 whose body does not arrive in time. If its response has begun, the response is aborted.
 *
 * @param timeoutMs how long the body may take from now, in milliseconds
 */
export function limitBodyTime(
  request: NodeServerRequest,
  response: NodeServerResponse,
  timeoutMs: number,
): void {
  const check = () => {
    if ("stream" in request) endHttp2(request, response);
    else endHttp1(request, response);
  };
  const deadline = setReadTimeout(
    guarded((error) => failExchange(response, error), check),
    timeoutMs,
  );
  response.on("close", () => deadline.cancel());
}

function endHttp2(request: Http2Request, response: NodeServerResponse): void {
  const { stream } = request;
  if (stream.destroyed || stream.state.remoteClose === 1) return;
  const begun = stream.headersSent && !stream.writableFinished;
  if (!begun) sendError(response, protocolErrors.requestTimeout);
  request.abortBody();
  stream.close(begun ? constants.NGHTTP2_CANCEL : constants.NGHTTP2_NO_ERROR);
}

function endHttp1(
  request: Exclude<NodeServerRequest, Http2Request>,
  response: NodeServerResponse,
): void {
  // After the response, node limits how long the rest of the request may take.
  if (request.complete || response.writableEnded) return;
  if (!response.headersSent) response.setHeader("Connection", "close");
  sendError(response, protocolErrors.requestTimeout);
}
