import { type ErrorResponse, httpError } from "../../http/error-response.ts";

const badRequest = (message: string) => httpError("MESSAGE_INVALID", message);

/** Errors of requests that break the rules of HTTP, so that no handler sees them. */
export const protocolErrors = {
  /** Like 400 of the parser for other versions. A 505 would count as a failure of the service. */
  version: badRequest("The protocol of the request line must be HTTP/1.1 or HTTP/1.0."),
  /** RFC 9112, section 6.1. A 501 would count as a failure of the service. */
  transferCoding: badRequest(
    "The only supported value of the Transfer-Encoding header is chunked.",
  ),
  malformed: badRequest("The HTTP/1 request is malformed."),
  /** RFC 9112, 3.2 */
  host: badRequest("An HTTP/1.1 request must have exactly one Host header."),
  /** RFC 9110, section 15.5.6 requires an Allow header, which is empty, because the target of a CONNECT allows no method. */
  connect: httpError(
    "METHOD_NOT_ALLOWED",
    "CONNECT is not supported, because this server is not a proxy.",
    { allow: "" },
  ),
  /** RFC 9110, section 15.5.9 */
  requestTimeout: httpError(
    "REQUEST_TIMEOUT",
    "The request took too long to arrive. Send it again without pauses.",
  ),
  /** RFC 9110, section 15.5.14. The size of the body itself is checked when it is read. */
  chunkExtensions: httpError(
    "MESSAGE_TOO_LARGE",
    "The chunk extensions of the request body are too long. Send chunks without extensions.",
  ),
  /** RFC 9110, section 15.5.18 */
  expectation: httpError(
    "EXPECTATION_FAILED",
    "The only supported value of the Expect header is 100-continue.",
  ),
  /** RFC 6585, section 5 */
  headerFields: httpError(
    "HEADER_FIELDS_TOO_LARGE",
    "The request line and the headers together are too long. Send fewer or shorter headers.",
  ),
} as const satisfies Record<string, ErrorResponse>;

/** Errors of node's HTTP/1 parser that do not mean a malformed request, by their codes. */
const byParserCode: Readonly<Record<string, ErrorResponse>> = {
  ERR_HTTP_REQUEST_TIMEOUT: protocolErrors.requestTimeout,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: protocolErrors.chunkExtensions,
  HPE_HEADER_OVERFLOW: protocolErrors.headerFields,
};

/** Returns the response to a `clientError` of node's HTTP/1 server; undefined when the connection itself has failed. */
export function http1ClientError({
  code = "",
  message,
}: NodeJS.ErrnoException): ErrorResponse | undefined {
  if (byParserCode[code] || !code.startsWith("HPE_")) return byParserCode[code];
  // The reason is one of the parser's own fixed texts. It does not quote the request.
  const [, reason] = /^Parse Error: (.+)/.exec(message) ?? [];
  const { malformed } = protocolErrors;
  return reason === undefined
    ? malformed
    : { ...malformed, message: `The HTTP/1 request is malformed: ${reason}` };
}
