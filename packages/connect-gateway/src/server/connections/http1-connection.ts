import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { settle } from "../../call/request-record.ts";
import type { ErrorResponse } from "../../http/error-response.ts";
import type { Http1Exchange } from "../../http/exchange/http1-exchange.ts";
import { newRequestId, requestIdHeader } from "../../http/request-id.ts";
import { removeBodyHeaders, writtenError } from "../../http/send-error.ts";
import { endRejected } from "../request-end.ts";
import type { LingeringClose } from "./linger.ts";
import type { ListenerOptions } from "./listener-options.ts";

/**
 * Sends an error for a request that the HTTP/1 parser has rejected, then closes the connection (RFC 9112, section 9.6).
 * The error is sent after earlier responses (RFC 9112, section 9.3.2). It is not sent when the response to the rejected
 * request has already begun.
 *
 * @param latest the response to the last request with a complete header section. If the body of that request is
 * incomplete, it is the rejected request; otherwise the next one is
 */
export function refuseAndClose(
  socket: Socket,
  latest: Http1Exchange | undefined,
  error: ErrorResponse,
  lingering: LingeringClose,
  onRequestEnd: ListenerOptions["onRequestEnd"],
): void {
  const again = () => refuseAndClose(socket, latest, error, lingering, onRequestEnd);
  if (!socket.writable) return; // The connection closes already.
  if (latest === undefined || latest.destroyed) {
    const isSent = latest !== undefined && !latest.complete;
    if (isSent) {
      lingering.close(socket, "");
      return;
    }
    const requestId = newRequestId();
    endRejected(error, { peer: socket.remoteAddress, requestId }, onRequestEnd);
    lingering.close(socket, rawResponse(error, requestId));
  } else if (latest.complete || latest.writableEnded) {
    latest.once("close", again);
  } else if (latest.response.socket === null) {
    latest.response.once("socket", again); // Earlier responses come first.
  } else if (latest.headersSent) {
    socket.destroy();
  } else {
    settle(latest.record, "http", error.status, error.reason);
    lingering.close(socket, rawResponse(error, newRequestId(), latest));
  }
}

/**
 * Returns an error response as it is sent.
 *
 * @param requestId the id of a request that has none
 * @param response the response that it replaces and whose headers it takes over
 */
function rawResponse(error: ErrorResponse, requestId: string, response?: Http1Exchange): string {
  const { body, headers } = writtenError(error);
  if (response !== undefined) removeBodyHeaders(response);
  const all = {
    [requestIdHeader]: requestId,
    ...response?.getHeaders(),
    ...headers,
    date: new Date().toUTCString(),
    connection: "close",
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    [value].flat().map((single) => `${name}: ${single}\r\n`),
  );
  const content = response?.method === "HEAD" ? "" : body;
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join("")}\r\n${content}`;
}
