import { request as http1Request, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:http2";

/** A request to be sent as it is. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** An answer, whole, less what differs from one to the next: the date, and how the connection goes on. */
export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Hexadecimal. */
  readonly body: string;
  readonly trailers: Readonly<Record<string, unknown>>;
}

const ofTheConnection = /^(?:date|connection|keep-alive|transfer-encoding|content-length|:status)$/;

function fieldsOf(fields: object): Record<string, unknown> {
  const entries = Object.entries(fields).filter(([name]) => !ofTheConnection.test(name));
  return Object.fromEntries(entries);
}

/** Sends a request over HTTP/1.1, on a connection of its own. */
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
        resolve({
          status: response.statusCode ?? 0,
          headers: fieldsOf(response.headers),
          body: Buffer.concat(chunks).toString("hex"),
          trailers: response.trailers,
        }),
      );
    });
    request.end(body);
  });
}

/** Sends a request over HTTP/2, on a connection of its own. Trailers and headers count as one where there is no body. */
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
        const isEmpty = chunks.length === 0;
        resolve({
          status: received[":status"] ?? 0,
          headers: fieldsOf(isEmpty ? { ...received, ...trailers } : received),
          body: Buffer.concat(chunks).toString("hex"),
          trailers: fieldsOf(isEmpty ? {} : trailers),
        });
      });
      stream.end(body);
    });
  } finally {
    session.close();
  }
}
