import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Http1Response } from "../http/http1-exchange.ts";
import { newRequestId, requestIdHeader } from "../http/request-id.ts";
import type { HttpError } from "../rest/http-error.ts";
import { abandonBody, errorParts } from "./error-response.ts";
import type { LingeringClose } from "./linger.ts";

/**
 * Answers, on a connection whose HTTP/1 parser has given up, that the request being read is refused,
 * then closes it (RFC 9112, 9.6). The answer waits for its turn (RFC 9112, 9.3.2), and is left out
 * where the request has already been answered or its answer has begun.
 *
 * @param latest Response to the last request whose header block was complete. Until its body is
 *   complete too it is that request that is refused, after that the next one.
 */
export function refuseAndClose(
  socket: Socket,
  latest: Http1Response | undefined,
  error: HttpError,
  lingering: LingeringClose,
): void {
  const again = () => refuseAndClose(socket, latest, error, lingering);
  if (!socket.writable) {
    return; // closing already
  }
  if (latest === undefined || latest.destroyed) {
    const answered = latest !== undefined && !latest.req.complete;
    lingering.close(socket, answered ? "" : rawResponse(error));
  } else if (latest.req.complete || latest.writableEnded) {
    latest.once("close", again);
  } else if (latest.socket === null) {
    latest.once("socket", again); // earlier responses come first
  } else if (latest.headersSent) {
    socket.destroy();
  } else {
    lingering.close(socket, rawResponse(error, latest));
  }
}

/**
 * The bytes of an error response.
 *
 * @param response The response whose place it takes: its header fields are kept.
 */
function rawResponse(error: HttpError, response?: Http1Response): string {
  const { body, headers } = errorParts(error);
  if (response !== undefined) {
    abandonBody(response);
  }
  const fields = {
    [requestIdHeader]: newRequestId(),
    ...response?.getHeaders(),
    ...headers,
    date: new Date().toUTCString(),
    connection: "close",
  };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((single) => `${name}: ${single}\r\n`),
  );
  const content = response?.req.method === "HEAD" ? "" : body;
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join("")}\r\n${content}`;
}
