import { request as http1Request } from "node:http";
import { type ClientHttp2Stream, connect } from "node:http2";
import { responseOn, responseTo, type WholeResponse } from "../support/whole-response.ts";

/** A whole response; `fields` has its headers and trailers. */
export interface HttpReply {
  readonly status: number;
  readonly fields: Headers;
  readonly body: string;
}

/** Sends a request and reads the whole response. */
export type HttpSend = (
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
) => Promise<HttpReply>;

function replyOf({ status, headers, trailers, body }: WholeResponse): HttpReply {
  const all = Object.entries({ ...headers, ...trailers }).filter(([name]) => !name.startsWith(":"));
  const fields = new Headers(all.map(([name, value]) => [name, String(value)]));
  return { status, fields, body };
}

export const overHttp1: HttpSend = async (url, method, path, headers, body) => {
  const reply = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
  return { status: reply.status, fields: reply.headers, body: await reply.text() };
};

export const readStream = async (stream: ClientHttp2Stream): Promise<HttpReply> =>
  replyOf(await responseOn(stream));

/** Sends an HTTP/1.1 request that never ends, and reads the whole response. */
export async function unending(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<HttpReply> {
  const request = http1Request({ host: "127.0.0.1", port, agent: false, method, path, headers });
  request.write("{");
  const reply = replyOf(await responseTo(request));
  request.destroy();
  return reply;
}

/** Sends requests over HTTP/2, each on a new connection. */
export const overHttp2: HttpSend = async (url, method, path, headers, body) => {
  const session = connect(url);
  try {
    const stream = session.request({ ":method": method, ":path": path, ...headers });
    stream.end(body);
    return await readStream(stream);
  } finally {
    session.close();
  }
};
