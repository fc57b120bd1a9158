import type { Exchange } from "../exchange/exchange.ts";
import { endWith } from "../exchange/send-pieces.ts";
import type { ProtocolContext } from "../protocol.ts";
import { endWithText } from "../send-error.ts";
import { isNotModified, setCacheControl, varyOn, weakenTag } from "./caching.ts";
import { type ContentCoding, responseCoding } from "./coding.ts";
import { type Body, type Content, codedContent, isCompressible } from "./content.ts";

/**
 * Sends content in the coding that the client prefers, if it is worth compressing.
 *
 * @param context the call whose caller's turn the compression is; without it, the content is compressed at once
 */
export function sendNegotiated(
  response: Exchange,
  content: Content,
  context?: ProtocolContext,
): void | Promise<void> {
  if (!isCompressible(content)) return sendContent(response, content, undefined, context);
  varyOn("accept-encoding", response);
  const coding = responseCoding(response.headers["accept-encoding"]?.toString());
  return sendContent(response, content, coding, context);
}

/** Sends content with the headers of caches, or 304 if the client has its entity tag. @param context as of {@link sendNegotiated} */
export function sendContent(
  response: Exchange,
  content: Content,
  coding: ContentCoding | undefined,
  context?: ProtocolContext,
): void | Promise<void> {
  const tag = response.getHeader("etag")?.toString();
  setCacheControl(response, tag);
  const headers: Record<string, string | number> = {};
  if (tag !== undefined) {
    if (coding) headers.etag = weakenTag(tag);
    if (isNotModified(response, tag)) {
      response.writeHead(304, headers).end();
      return undefined;
    }
  }
  headers["content-type"] = content.mediaType;
  if (!coding) return sendData(response, headers, content.data, content.length);
  headers["content-encoding"] = coding.name;
  const coded = context
    ? context.work.compress(context, content, coding)
    : codedContent(content, coding);
  return coded.then((data) => sendData(response, headers, data, data.length));
}

/** Sends headers with the Content-Length, and the data unless the method is HEAD. @param length in bytes */
function sendData(
  response: Exchange,
  headers: Record<string, string | number>,
  data: Body,
  length: number,
): void {
  if (response.destroyed) return;
  headers["content-length"] = length;
  response.writeHead(200, headers);
  if (typeof data === "string") endWithText(response, data, length);
  else if (response.method === "HEAD") response.end();
  else endWith(response, data);
}
