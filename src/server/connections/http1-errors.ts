import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { settle } from "../../call/request-record.ts";
import { type ErrorResponse, errorBody } from "../../http/error-response.ts";
import type { Http1Response } from "../../http/exchange/http1-exchange.ts";
import { newRequestId, requestIdHeader } from "../../http/request-id.ts";
import { errorHeaders, removeBodyHeaders } from "../../http/send-error.ts";
import { endRejected } from "../request-end.ts";
import type { LingeringClose } from "./linger.ts";
import type { ListenerOptions } from "./listener-options.ts";

/** A connection with a request that the HTTP/1 parser has rejected. */
export interface Rejecting {
  readonly socket: Socket;
  /**
   * The response to the last request with a complete header section. If the body of that request is incomplete, it is
   * the rejected request; otherwise the next one is.
   */
  readonly latest: Http1Response | undefined;
  readonly rejection: ErrorResponse | undefined;
}

/**
 * Sends the error of a rejected request, then closes the connection (RFC 9112, section 9.6). Does nothing while earlier
 * responses are open (RFC 9112, section 9.3.2): call it again when one is closed. The error is not sent when the response
 * to the rejected request has already begun.
 */
export function sendRejection(
  { socket, latest, rejection: error }: Rejecting,
  lingering: LingeringClose,
  onRequestEnd: ListenerOptions["onRequestEnd"],
): void {
  if (error === undefined || !socket.writable) return;
  if (latest === undefined || latest.destroyed) {
    if (latest?.req.complete === false) lingering.close(socket, "");
    else {
      const requestId = newRequestId();
      endRejected(error, { peer: socket.remoteAddress, requestId }, onRequestEnd);
      lingering.close(socket, rawResponse(error, { [requestIdHeader]: requestId }));
    }
  } else if (latest.req.complete || latest.writableEnded || latest.socket === null) {
    return;
  } else if (latest.headersSent) {
    socket.destroy();
  } else {
    settle(latest.record, "http", error.status, error.reason);
    removeBodyHeaders(latest);
    const hasBody = latest.req.method !== "HEAD";
    lingering.close(socket, rawResponse(error, latest.getHeaders(), hasBody));
  }
}

/**
 * Returns an error response as it is sent.
 *
 * @param headers further headers
 */
function rawResponse(
  error: ErrorResponse,
  headers: ReturnType<Http1Response["getHeaders"]>,
  hasBody = true,
): string {
  const body = errorBody(error);
  const all = {
    ...headers,
    ...errorHeaders(error, Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: "close",
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    [value].flat().map((single) => `${name}: ${single}\r\n`),
  );
  const content = hasBody ? body : "";
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join("")}\r\n${content}`;
}
