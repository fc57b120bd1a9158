import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { HttpError } from "../rest/http-error.ts";
import { abandonBody, errorParts } from "./error-response.ts";
import { destroyIfLingering } from "./linger.ts";

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
  latest: ServerResponse | undefined,
  error: HttpError,
): void {
  const again = () => refuseAndClose(socket, latest, error);
  if (!socket.writable) {
    return; // closing already
  }
  if (latest === undefined || latest.destroyed) {
    const answered = latest !== undefined && !latest.req.complete;
    end(socket, answered ? "" : rawResponse(error));
  } else if (latest.req.complete || latest.writableEnded) {
    latest.once("close", again);
  } else if (latest.socket === null) {
    latest.once("socket", again); // earlier responses come first
  } else if (latest.headersSent) {
    socket.destroy();
  } else {
    end(socket, rawResponse(error, latest));
  }
}

function end(socket: Socket, bytes: string): void {
  socket.end(bytes, "latin1");
  destroyIfLingering(socket);
}

/**
 * The bytes of an error response.
 *
 * @param response The response whose place it takes: its header fields are kept.
 */
function rawResponse(error: HttpError, response?: ServerResponse): string {
  const { body, headers } = errorParts(error);
  if (response !== undefined) {
    abandonBody(response);
  }
  const fields = {
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
