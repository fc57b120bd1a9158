import { randomUUID } from "node:crypto";
import type { NodeServerRequest, NodeServerResponse } from "./node-http.ts";

/** The header with the id of a request, in requests and responses. */
export const requestIdHeader = "x-request-id";

/** What is taken over from a caller: not long, and safe to repeat in headers and logs. */
const accepted = /^[!-~]{1,128}$/;

/** Makes an id for a request that has no valid one of its own: a random UUID (RFC 9562, version 4). */
export const newRequestId: () => string = randomUUID;

/**
 * Sets the `X-Request-Id` of a response: the caller's own when it is 1 to 128 visible ASCII characters,
 * otherwise a new one. To be called before anything else can respond, so that no response lacks it.
 */
export function identify(request: NodeServerRequest, response: NodeServerResponse): void {
  const given = request.headers[requestIdHeader];
  const isAccepted = typeof given === "string" && accepted.test(given);
  response.setHeader("X-Request-Id", isAccepted ? given : newRequestId());
}

/** Returns the id that {@link identify} gave the request of a response; empty if it gave none. */
export function requestIdOf(response: NodeServerResponse): string {
  return String(response.getHeader(requestIdHeader) ?? "");
}
