import type { DescMessage } from "@bufbuild/protobuf";

/**
 * Returns whether a message is google.api.HttpBody: content of any media type, sent and read unchanged.
 *
 * @see google/api/httpbody.proto
 */
export function isHttpBody(desc: DescMessage | undefined): desc is DescMessage {
  return desc?.typeName === "google.api.HttpBody";
}

/** The content of a google.api.HttpBody. */
export interface RawContent {
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** The media type of content without a Content-Type (RFC 9110, section 8.3). */
export const unknownMediaType = "application/octet-stream";
