import { request as http1Request } from "node:http";
import { connect } from "node:http2";
import {
  responseOn,
  responseTo,
  type WholeResponse,
} from "../../../../test/support/whole-response.ts";

/** A request to send without changes. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** A complete response, without the headers that differ from one response to the next, such as `date`. */
export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Hexadecimal. */
  readonly body: string;
  readonly trailers: Readonly<Record<string, unknown>>;
}

const varyingHeaders = /^(?:date|connection|keep-alive|transfer-encoding|content-length|:status)$/;

function fieldsOf(fields: object): Record<string, unknown> {
  const entries = Object.entries(fields).filter(([name]) => !varyingHeaders.test(name));
  return Object.fromEntries(entries);
}

/** Makes a reply. If there is no body, trailers count as headers. */
function replyOf({ status, headers, trailers, bytes }: WholeResponse): RawReply {
  const isEmpty = bytes.length === 0;
  return {
    status,
    headers: fieldsOf(isEmpty ? { ...headers, ...trailers } : headers),
    body: bytes.toString("hex"),
    trailers: fieldsOf(isEmpty ? {} : trailers),
  };
}

/** Sends a request over HTTP/1.1, on its own connection. */
export async function sendHttp1(
  port: number,
  { method, path, headers, body }: RawRequest,
): Promise<RawReply> {
  const length = body && { "content-length": body.length };
  const request = http1Request({
    host: "127.0.0.1",
    port,
    agent: false,
    method,
    path,
    headers: { ...headers, ...length },
  });
  request.end(body);
  return replyOf(await responseTo(request));
}

/** Sends a request over HTTP/2, on its own connection. */
export async function sendHttp2(
  port: number,
  { method, path, headers, body }: RawRequest,
): Promise<RawReply> {
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    const stream = session.request({ ":method": method, ":path": path, ...headers });
    stream.end(body);
    return replyOf(await responseOn(stream));
  } finally {
    session.close();
  }
}

/** Both HTTP versions, by name. */
export const rawSenders = [
  ["HTTP/1.1", sendHttp1],
  ["HTTP/2", sendHttp2],
] as const;
