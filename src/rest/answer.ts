import { constants } from "node:http2";
import { type HttpError, httpErrorBody } from "./http-error.ts";
import { type NodeServerRequest, type NodeServerResponse, writeHead } from "./node-http.ts";
import { declaredLength } from "./request-body.ts";

/** Header fields by name in lower case. */
export type HeaderFields = Readonly<Record<string, string>>;

/**
 * Sends a whole answer in JSON. HEAD gets the header fields only.
 *
 * @param json a JSON text
 */
export function sendJson(
  request: NodeServerRequest,
  response: NodeServerResponse,
  status: number,
  headers: HeaderFields,
  json: string,
): void {
  const length = Buffer.byteLength(json);
  writeHead(response, status, {
    ...headers,
    "content-type": "application/json",
    "content-length": length,
  });
  if (request.method === "HEAD") response.end();
  else response.end(json, "utf8");
}

/** Sends an answer that has no body. */
export function sendEmpty(
  response: NodeServerResponse,
  status: number,
  headers: HeaderFields,
): void {
  writeHead(response, status, { ...headers });
  response.end();
}

/** Sends an error, and sees to it that what is left of the request does no harm. */
export function sendError(
  request: NodeServerRequest,
  response: NodeServerResponse,
  error: HttpError,
  headers: HeaderFields,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const leave = leaveBody(request, response);
  sendJson(
    request,
    response,
    error.status,
    { ...headers, ...error.headers, ...leave },
    httpErrorBody(error),
  );
}

/** Most that is read for nothing, in bytes, so that a connection can be kept. */
const maxDrainBytes = 256 * 1024;

/**
 * Decides what becomes of a request body that nobody will read.
 *
 * HTTP/1.1: node reads on and throws away what comes, which is right for a short body. A long one, or
 * one that the client holds back until it is told to go on (RFC 9110, section 10.1.1), ends the
 * connection. HTTP/2: the stream is closed once the answer is out (RFC 9113, section 8.1).
 *
 * @returns header fields for the answer
 */
function leaveBody(request: NodeServerRequest, response: NodeServerResponse): HeaderFields {
  const declared = declaredLength(request);
  if (declared === 0 || request.complete) return {};
  if ("stream" in request) {
    response.once("finish", () => request.stream.close(constants.NGHTTP2_NO_ERROR));
    return {};
  }
  const isHeldBack = request.headers.expect !== undefined;
  const isShort = declared !== undefined && declared <= maxDrainBytes;
  if (isShort && !isHeldBack) {
    request.resume();
    return {};
  }
  return { connection: "close" };
}
