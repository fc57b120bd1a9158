import { Agent, createServer, type IncomingHttpHeaders, request as requestH1 } from "node:http";
import {
  connect,
  createServer as createServerH2,
  type Http2Server,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { http2Exchange } from "../../../src/http/exchange/http2-exchange.ts";
import {
  http1Classes,
  type NodeServerRequest,
  type NodeServerResponse,
} from "../../../src/http/exchange/node-http.ts";

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The received body. */
  readonly bytes: Buffer;
}

export interface RequestInit {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with its length. A list is sent in chunks, without a length. */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[];
}

/** A client with its own server, over one connection of a real socket. */
export interface Client {
  send(method: string, target: string, init?: RequestInit): Promise<Reply>;
  readonly port: number;
  close(): Promise<void>;
}

function bodyOf(chunks: readonly Buffer[]): Pick<Reply, "body" | "bytes"> {
  const bytes = Buffer.concat(chunks);
  return { bytes, body: bytes.toString() };
}

export type Listener = (request: NodeServerRequest, response: NodeServerResponse) => void;

async function overHttp1(listener: Listener): Promise<Client> {
  const server = createServer(http1Classes, listener);
  server.on("checkContinue", listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    port,
    send: (method, target, { headers = {}, body } = {}) =>
      new Promise((resolve, reject) => {
        const length = body instanceof Uint8Array || typeof body === "string";
        const outgoing = requestH1(
          {
            port,
            agent,
            method,
            path: target,
            headers: length
              ? { ...headers, "content-length": Buffer.byteLength(body) }
              : Array.isArray(body)
                ? { ...headers, "transfer-encoding": "chunked" }
                : headers,
          },
          (incoming) => {
            const chunks: Buffer[] = [];
            incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
            incoming.on("error", reject);
            incoming.on("end", () =>
              resolve({
                status: incoming.statusCode ?? 0,
                headers: incoming.headers,
                ...bodyOf(chunks),
              }),
            );
          },
        );
        outgoing.on("error", reject);
        if (headers.expect !== undefined) {
          outgoing.on("continue", () => outgoing.end(body));
          outgoing.flushHeaders();
          return;
        }
        for (const chunk of Array.isArray(body) ? body : [body]) {
          if (chunk !== undefined) outgoing.write(chunk);
        }
        outgoing.end();
      }),
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server for HTTP/2 only. */
export function createServerHttp2(listener: Listener): Http2Server {
  const server = createServerH2();
  server.on("stream", (stream: ServerHttp2Stream, headers, _flags, rawHeaders) => {
    const { session } = stream;
    if (!session) return;
    const { socket } = session;
    const response = http2Exchange(stream, headers, rawHeaders, {
      socket,
      onThrow: (_, broken) => void broken.destroy(),
      received() {},
      cancelled() {},
      closed() {},
    });
    listener(response.req, response);
  });
  return server;
}

async function overHttp2(listener: Listener): Promise<Client> {
  const server = createServerHttp2(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const session = connect(`http://127.0.0.1:${port}`);
  return {
    port,
    send: (method, target, { headers = {}, body } = {}) =>
      new Promise((resolve, reject) => {
        const length =
          body instanceof Uint8Array || typeof body === "string"
            ? { "content-length": Buffer.byteLength(body) }
            : {};
        const stream = session.request(
          { ":method": method, ":path": target, ...headers, ...length },
          { endStream: body === undefined },
        );
        let head: IncomingHttpHeaders & { ":status"?: number } = {};
        const chunks: Buffer[] = [];
        stream.on("response", (received) => {
          head = received as typeof head;
        });
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("error", reject);
        stream.on("end", () =>
          resolve({
            status: head[":status"] ?? 0,
            headers: head,
            ...bodyOf(chunks),
          }),
        );
        if (headers.expect !== undefined) {
          stream.on("continue", () => stream.end(body));
          return;
        }
        for (const chunk of Array.isArray(body) ? body : [body]) {
          if (chunk !== undefined) stream.write(chunk);
        }
        if (body !== undefined) stream.end();
      }),
    close: async () => {
      session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The protocols that the transcoder is served on. */
export const protocols = [
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
] as const;

/** Sends one request to a new server. */
export async function sendOnce(
  serve: (typeof protocols)[number][1],
  listener: Listener,
  method: string,
  target: string,
  init?: RequestInit,
): Promise<Reply> {
  const client = await serve(listener);
  try {
    return await client.send(method, target, init);
  } finally {
    await client.close();
  }
}

/** Returns the body of an error. */
export function errorBody(status: number, code: string, message: string): string {
  return JSON.stringify({ code, message, status });
}
