import type { HttpError } from "../rest/http-error.ts";

/** What is refused before any handler sees it, because HTTP itself is not kept to. */
export const protocolErrors = {
  /** RFC 9112, 3.2 */
  host: {
    status: 400,
    reason: "MESSAGE_INVALID",
    code: "invalid_argument",
    message: "an HTTP/1.1 request needs exactly one Host header field",
  },
  /**
   * CONNECT asks for a tunnel. Its target is no resource, so the Allow that RFC 9110, 15.5.6 demands
   * is empty: no method is allowed on it.
   */
  connect: {
    status: 405,
    reason: "METHOD_NOT_ALLOWED",
    code: "method_not_allowed",
    message: "this server is not a proxy: CONNECT is not supported",
    headers: { allow: "" },
  },
  /** RFC 9110, 15.5.9 */
  requestTimeout: {
    status: 408,
    reason: "REQUEST_TIMEOUT",
    code: "deadline_exceeded",
    message: "the request took too long to arrive; send it again, whole and without pauses",
  },
  /** RFC 9110, 15.5.14: nothing else of the body is measured here. */
  chunkExtensions: {
    status: 413,
    reason: "MESSAGE_TOO_LARGE",
    code: "payload_too_large",
    message: "the chunk extensions of the request body are too long",
  },
  /** RFC 9110, 15.5.18 */
  expectation: {
    status: 417,
    reason: "EXPECTATION_FAILED",
    code: "expectation_failed",
    message: "the only expectation supported is 100-continue",
  },
  /** RFC 6585, 5 */
  headerFields: {
    status: 431,
    reason: "HEADER_FIELDS_TOO_LARGE",
    code: "header_fields_too_large",
    message: "request line and header fields together are too long",
  },
  /** A handler that threw: a fault of the server, of which the client learns nothing more. */
  internal: { status: 500, reason: "INTERNAL", code: "internal", message: "internal error" },
} as const satisfies Record<string, HttpError>;

/** Of what node's HTTP/1 parser found wrong: those that are not simply malformed. */
const byParserCode: Readonly<Record<string, HttpError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: protocolErrors.requestTimeout,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: protocolErrors.chunkExtensions,
  HPE_HEADER_OVERFLOW: protocolErrors.headerFields,
};

/**
 * The answer to what node's HTTP/1 server reports as 'clientError'; `undefined` when the connection
 * itself failed and nobody is there to be answered.
 */
export function http1ClientError(error: Error): HttpError | undefined {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const known = byParserCode[code];
  if (known !== undefined || !code.startsWith("HPE_")) {
    return known;
  }
  // The parser's reason is one of its own fixed sentences: it repeats nothing of the request.
  const reason = "reason" in error && typeof error.reason === "string" ? `: ${error.reason}` : "";
  return {
    status: 400,
    reason: "MESSAGE_INVALID",
    code: "invalid_argument",
    message: `the HTTP/1 request is malformed${reason}`,
  };
}
