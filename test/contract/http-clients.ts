import { request as http1Request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";

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

/** Sends requests over HTTP/1.1. */
export const overHttp1: HttpSend = async (url, method, path, headers, body) => {
  const reply = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
  return { status: reply.status, fields: reply.headers, body: await reply.text() };
};

/** Reads a response from an HTTP/2 stream, until the stream ends. */
export function readStream(stream: ReturnType<ClientHttp2Session["request"]>): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const fields = new Headers();
    let status = 0;
    const note = (received: object) => {
      for (const [name, value] of Object.entries(received)) {
        if (!name.startsWith(":")) {
          fields.set(name, String(value));
        }
      }
    };
    stream.on("response", (received) => {
      status = received[":status"] ?? 0;
      note(received);
    });
    stream.on("trailers", note);
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("end", () => resolve({ status, fields, body: Buffer.concat(chunks).toString() }));
  });
}

/** Sends an HTTP/1.1 request that never ends, and reads the whole response. */
export function unending(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const request = http1Request({ host: "127.0.0.1", port, agent: false, method, path, headers });
    request.on("error", reject);
    request.on("response", (response) => {
      request.off("error", reject).on("error", () => {});
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const fields = new Headers(
          Object.entries(response.headersDistinct).map(([name, values]) => [name, String(values)]),
        );
        const body = Buffer.concat(chunks).toString();
        request.destroy();
        resolve({ status: response.statusCode ?? 0, fields, body });
      });
    });
    request.write("{");
  });
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
