import { cacheControl, isNotModified, varyOn } from "../../http/content/caching.ts";
import { weakenTag } from "../../http/content/entity-tag.ts";
import type { NodeServerResponse } from "../../http/exchange/node-http.ts";

/** Headers by name in lower case. */
type HeaderRecord = Record<string, string | number>;

/**
 * Adds the headers that caches need to a successful GET, as the JSON interface does: Cache-Control, Vary, and a weak
 * entity tag if the content is compressed.
 *
 * @returns whether the client has the content already
 */
function addValidators(response: NodeServerResponse, headers: HeaderRecord): boolean {
  const tag = headers.etag?.toString();
  for (const [name, value] of Object.entries(cacheControl(response, tag))) {
    headers[name] ??= value;
  }
  headers.vary = varyOn("accept-encoding", response, headers);
  if (tag === undefined) return false;
  if (headers["content-encoding"] !== undefined) headers.etag = weakenTag(tag);
  return isNotModified(response, tag);
}

/** Returns the headers without those that describe content. */
function withoutContent(headers: HeaderRecord): HeaderRecord {
  const names = ["content-type", "content-length", "content-encoding"];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

/**
 * Adds the headers that caches need to a successful GET, and responds 304 if the client has the content already.
 *
 * @returns whether it has responded
 */
export function sendNotModified(response: NodeServerResponse, headers: HeaderRecord): boolean {
  if (!addValidators(response, headers)) return false;
  response.writeHead(304, withoutContent(headers));
  response.end();
  return true;
}
