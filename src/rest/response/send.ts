import type { Owner } from "../../call/shared-pool.ts";
import type { CallerWork } from "../../http/caller-work.ts";
import { cacheControl, isNotModified, varyOn } from "../../http/content/caching.ts";
import type { ContentCoding } from "../../http/content/compression.ts";
import {
  type Body,
  type Content,
  codedContent,
  isCompressible,
} from "../../http/content/content.ts";
import { responseCoding } from "../../http/content/content-coding.ts";
import { weakenTag } from "../../http/content/entity-tag.ts";
import type { ErrorResponse } from "../../http/error-response.ts";
import { discardBody } from "../../http/exchange/discard-body.ts";
import type { NodeServerResponse } from "../../http/exchange/node-http.ts";
import { endWith } from "../../http/exchange/send-pieces.ts";
import { bodyHeaders, endWithText, sendError } from "../../http/send-error.ts";

/** Headers by name in lower case. */
export type HttpHeaders = Readonly<Record<string, string>>;

/**
 * Sends the response of a method in the content coding that the client prefers. Sends 304 without content if
 * the client already has the response.
 *
 * @param set headers that the method has set
 * @param work compresses the content in the owner's turn; without it, at once
 */
export function sendContent(
  response: NodeServerResponse,
  content: Content,
  set: HttpHeaders,
  work?: CallerWork,
  owner?: Owner,
): Promise<void> | undefined {
  const headers: Record<string, string | number> = Object.assign(
    cacheControl(response, set.etag),
    set,
  );
  let coding: ContentCoding | undefined;
  if (isCompressible(content)) {
    headers.vary = varyOn("accept-encoding", response, headers);
    coding = responseCoding(response.req.headers["accept-encoding"]?.toString());
    if (coding !== undefined && set.etag !== undefined) headers.etag = weakenTag(set.etag);
  }
  if (set.etag !== undefined && isNotModified(response, set.etag)) {
    sendEmpty(response, 304, headers);
    return undefined;
  }
  headers["content-type"] = content.mediaType;
  if (coding === undefined) {
    sendData(response, headers, content.data, content.length);
    return undefined;
  }
  headers["content-encoding"] = coding.name;
  const coded =
    work && owner !== undefined
      ? work.compress(owner, response, content, coding)
      : codedContent(content, coding);
  return coded.then((data) => sendData(response, headers, data, data.length));
}

/**
 * Sends headers, and the data unless the method is HEAD.
 *
 * @param headers Content-Length is added to them
 * @param length length of the data in bytes
 */
function sendData(
  response: NodeServerResponse,
  headers: Record<string, string | number>,
  data: Body,
  length: number,
): void {
  headers["content-length"] = length;
  response.writeHead(200, headers);
  if (typeof data === "string") endWithText(response, data, length);
  else if (response.req.method === "HEAD") response.end();
  else endWith(response, data);
}

/** Sends a response without content. */
export function sendEmpty(
  response: NodeServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number>>,
): void {
  response.writeHead(status, headers);
  response.end();
}

/**
 * Sends an error, which caches must not store, and discards the rest of the request body.
 *
 * @param set headers that the method has set. Those that describe a body are not sent
 */
export function refuseRequest(
  response: NodeServerResponse,
  error: ErrorResponse,
  set?: HttpHeaders,
): void {
  if (response.headersSent) return;
  discardBody(response);
  const headers: Record<string, string> = { ...set };
  if (set) for (const name of bodyHeaders) delete headers[name];
  sendError(response, error, Object.assign(headers, cacheControl(response)));
}
