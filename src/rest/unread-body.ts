import { constants } from "node:http2";
import type { Exchange, HeaderFields } from "./exchange.ts";
import { declaredLength } from "./request-body.ts";

/** Most that is read for nothing, in bytes, so that a connection can be kept. */
const maxDrainBytes = 256 * 1024;

const nothing: HeaderFields = {};

/**
 * Decides what becomes of a request body that nobody will read, before the answer is sent.
 *
 * HTTP/1.1: a short body is read and thrown away. A long one, or one that the client holds back until
 * it is told to go on (RFC 9110, section 10.1.1), ends the connection. HTTP/2: the client is told, once
 * the answer is out, to send no more (RFC 9113, section 8.1).
 *
 * @returns header fields for the answer
 */
export function leaveBody({ request, response }: Exchange): HeaderFields {
  const declared = declaredLength(request);
  if (declared === 0 || request.complete) return nothing;
  if ("stream" in request) {
    const { stream } = request;
    response.once("finish", () => stream.close(constants.NGHTTP2_NO_ERROR));
    return nothing;
  }
  const isHeldBack = request.headers.expect !== undefined;
  const isShort = declared !== undefined && declared <= maxDrainBytes;
  if (!isShort || isHeldBack) return { connection: "close" };
  request.resume();
  return nothing;
}
