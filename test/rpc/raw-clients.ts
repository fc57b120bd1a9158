import { request as http1Request, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:http2";

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
function replyOf(status = 0, headers: object, body: Buffer, trailers: object): RawReply {
  const isEmpty = body.length === 0;
  return {
    status,
    headers: fieldsOf(isEmpty ? { ...headers, ...trailers } : headers),
    body: body.toString("hex"),
    trailers: fieldsOf(isEmpty ? {} : trailers),
  };
}

/** Sends a request over HTTP/1.1, on its own connection. */
export function sendHttp1(
  port: number,
  { method, path, headers, body }: RawRequest,
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const length = body && { "content-length": body.length };
    const request = http1Request({
      host: "127.0.0.1",
      port,
      agent: false,
      method,
      path,
      headers: { ...headers, ...length },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      request.off("error", reject).on("error", () => undefined);
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve(
          replyOf(response.statusCode, response.headers, Buffer.concat(chunks), response.trailers),
        ),
      );
    });
    request.end(body);
  });
}

/** Sends a request over HTTP/2, on its own connection. */
export async function sendHttp2(
  port: number,
  { method, path, headers, body }: RawRequest,
): Promise<RawReply> {
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    return await new Promise((resolve, reject) => {
      const stream = session.request({ ":method": method, ":path": path, ...headers });
      const chunks: Buffer[] = [];
      let received: IncomingHttpHeaders & { ":status"?: number } = {};
      let trailers: object = {};
      stream.on("response", (fields) => {
        received = fields;
      });
      stream.on("trailers", (fields) => {
        trailers = fields;
      });
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", reject);
      stream.on("end", () => {
        resolve(replyOf(received[":status"], received, Buffer.concat(chunks), trailers));
      });
      stream.end(body);
    });
  } finally {
    session.close();
  }
}
