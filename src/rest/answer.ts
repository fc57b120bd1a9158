import { cacheControl, isNotModified, varyOn } from "../http/caching.ts";
import type { ContentCoding } from "../http/coding.ts";
import { type Body, type Content, codedContent, isCompressible } from "../http/content.ts";
import { weakenTag } from "../http/entity-tag.ts";
import { leaveBody } from "../http/leave-body.ts";
import { writeHead } from "../http/node-http.ts";
import { endWith } from "../http/send-pieces.ts";
import { answerCoding } from "./content-coding.ts";
import type { Exchange, HeaderFields } from "./exchange.ts";
import { errorReasonHeader, type HttpError, httpErrorBody } from "./http-error.ts";

/**
 * Sends what a method has answered: in the content coding that the client likes best, or only the news
 * that the client has it already.
 *
 * @param set header fields that the method has set
 */
export function sendContent(
  exchange: Exchange,
  content: Content,
  set: HeaderFields,
): Promise<void> | undefined {
  const { request } = exchange;
  const fields: Record<string, string | number> = Object.assign(
    cacheControl(exchange, set.etag),
    exchange.headers,
    set,
  );
  let coding: ContentCoding | undefined;
  if (isCompressible(content)) {
    fields.vary = varyOn("accept-encoding", exchange, fields);
    coding = answerCoding(request.headers["accept-encoding"]?.toString());
    if (coding !== undefined && set.etag !== undefined) fields.etag = weakenTag(set.etag);
  }
  if (set.etag !== undefined && isNotModified(exchange, set.etag)) {
    sendEmpty(exchange, 304, fields);
    return undefined;
  }
  fields["content-type"] = content.mediaType;
  if (coding === undefined) {
    sendData(exchange, 200, fields, content.data, content.length);
    return undefined;
  }
  fields["content-encoding"] = coding.name;
  return codedContent(content, coding).then((data) =>
    sendData(exchange, 200, fields, data, data.length),
  );
}

/**
 * Sends header fields and data, the latter not to HEAD.
 *
 * @param fields to which that of the length is added
 * @param length of the data, in bytes
 */
function sendData(
  { request, response }: Exchange,
  status: number,
  fields: Record<string, string | number>,
  data: Body,
  length: number,
): void {
  fields["content-length"] = length;
  writeHead(response, status, fields);
  if (request.method === "HEAD") response.end();
  // Characters as bytes, where each is one: nothing has to be converted then.
  else if (typeof data !== "string") endWith(response, data);
  else if (data.length === length) response.end(data, "latin1");
  else response.end(data);
}

/** Sends an answer that has no content. */
export function sendEmpty(
  { response }: Exchange,
  status: number,
  fields: Readonly<Record<string, string | number>>,
): void {
  writeHead(response, status, fields);
  response.end();
}

/**
 * Sends an error, and sees to it that what is left of the request does no harm. Where an answer was
 * begun, it is for whoever began it to say how it ends.
 */
export function sendError(exchange: Exchange, error: HttpError): void {
  if (exchange.response.headersSent) return;
  leaveBody(exchange.request, exchange.response);
  const body = httpErrorBody(error);
  const fields = Object.assign(cacheControl(exchange, undefined), exchange.headers, error.headers, {
    [errorReasonHeader]: error.reason,
    "content-type": "application/json",
  });
  sendData(exchange, error.status, fields, body, Buffer.byteLength(body));
}
