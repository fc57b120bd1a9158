import { matchesTag } from "./entity-tag.ts";
import type { NodeServerRequest, NodeServerResponse } from "./node-http.ts";

/** A request, and the answer to it. */
interface Pair {
  readonly request: NodeServerRequest;
  readonly response: NodeServerResponse;
}

/** Whether the request only reads: its answer could be kept and used again. */
function isRead({ request }: Pair): boolean {
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
export function cacheControl(exchange: Pair, tag: string | undefined): Record<string, string> {
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
  { response }: Pick<Pair, "response">,
  headers: Readonly<Record<string, string | number>>,
): string {
  const before = headers.vary ?? response.getHeader("vary");
  return before === undefined ? field : `${before}, ${field}`;
}

/**
 * Returns whether a request that only reads is to be answered 304, because the client has the answer already.
 *
 * @param tag the answer's entity tag, with its quotes
 */
export function isNotModified(exchange: Pair, tag: string): boolean {
  const known = exchange.request.headers["if-none-match"];
  return known !== undefined && known !== "" && isRead(exchange) && matchesTag(known, tag);
}
