import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { cacheControl, isNotModified, varyOn } from "../../http/caching.ts";
import { weakenTag } from "../../http/entity-tag.ts";
import {
  type NodeServerRequest,
  type NodeServerResponse,
  writeHead,
} from "../../http/node-http.ts";

type Fields = Record<string, string | number>;

/**
 * Adds to the headers of a successful GET what caches need, as the JSON interface does: Cache-Control, Vary, and a
 * weak entity tag where the content is coded.
 *
 * @param fields by name in lower case
 * @returns whether the client has the content already
 */
function addValidators(
  request: NodeServerRequest,
  response: NodeServerResponse,
  fields: Fields,
): boolean {
  const tag = fields.etag?.toString();
  for (const [name, value] of Object.entries(cacheControl({ request, response }, tag))) {
    fields[name] ??= value;
  }
  fields.vary = varyOn("accept-encoding", { response }, fields);
  if (tag === undefined) return false;
  if (fields["content-encoding"] !== undefined) fields.etag = weakenTag(tag);
  return isNotModified({ request, response }, tag);
}

/** Removes the headers that describe content. */
function withoutContent(fields: Fields): Fields {
  const names = ["content-type", "content-length", "content-encoding"];
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/**
 * Adds the headers of a cacheable GET, and responds 304 to a client that has the content already.
 *
 * @param fields headers of the response, by name in lower case
 * @returns whether it has responded
 */
export function sendNotModified(
  request: NodeServerRequest,
  response: NodeServerResponse,
  fields: Fields,
): boolean {
  if (!addValidators(request, response, fields)) return false;
  writeHead(response, 304, withoutContent(fields));
  response.end();
  return true;
}

/** Does the same for a response to GET that Connect's handlers have made, and adds Cache-Control to an error. */
export function conditional(
  request: NodeServerRequest,
  response: NodeServerResponse,
  answer: UniversalServerResponse,
): UniversalServerResponse {
  const fields: Fields = Object.fromEntries(answer.header ?? []);
  if (answer.status !== 200) {
    const caching = cacheControl({ request, response }, undefined);
    return { ...answer, header: headersOf({ ...caching, ...fields }) };
  }
  const isKnown = addValidators(request, response, fields);
  if (!isKnown) return { ...answer, header: headersOf(fields) };
  const { body: _, ...others } = answer;
  return { ...others, status: 304, header: headersOf(withoutContent(fields)) };
}

function headersOf(fields: Fields): Headers {
  return new Headers(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}
