import type { NodeServerRequest, NodeServerResponse } from "../http/node-http.ts";

/** Header fields by name in lower case. */
export type HeaderFields = Readonly<Record<string, string>>;

/** A request, the answer to it, and what every answer to it carries. */
export interface Exchange {
  readonly request: NodeServerRequest;
  readonly response: NodeServerResponse;
  readonly headers: HeaderFields;
}

/** Whether the request only reads: its answer could be kept and used again. */
export function isRead({ request }: Exchange): boolean {
  return request.method === "GET" || request.method === "HEAD";
}

/**
 * How long an answer may be kept (RFC 9111, section 5.2.2): not at all, or with an entity tag, by the
 * client alone and never used unasked. What is read here is one caller's and changes at any time.
 *
 * @param tag the answer's entity tag
 * @returns nothing for other methods than GET and HEAD, whose answers nobody keeps, and where somebody
 * has set the field before
 */
export function cacheControl(exchange: Exchange, tag: string | undefined): Record<string, string> {
  if (!isRead(exchange) || exchange.response.hasHeader("cache-control")) return {};
  return { "cache-control": tag === undefined ? "no-store" : "private, no-cache" };
}

/**
 * Says that the answer depends on a field of the request (RFC 9110, section 12.5.5), besides those that
 * were said before.
 *
 * @param headers what else the answer is to have
 */
export function varyOn(
  field: string,
  { response }: Exchange,
  headers: Readonly<Record<string, string | number>>,
): string {
  const before = headers.vary ?? response.getHeader("vary");
  return before === undefined ? field : `${before}, ${field}`;
}
