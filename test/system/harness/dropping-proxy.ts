import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import {
  type ClientHttp2Stream,
  connect,
  constants,
  createServer as createHttp2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { listen } from "../../support/listen.ts";

/** How the proxy loses a response that the server has sent. */
const losses = ["close the connection", "send half", "send nothing"] as const;

type Loss = (typeof losses)[number];

/** A proxy that loses responses. Its counts are for all connections. */
export interface DroppingProxy {
  readonly http1: string;
  /** URL for clients of HTTP/2 without TLS. */
  readonly http2: string;
  /** Responses that arrived from the server, without streams. */
  readonly responses: number;
  readonly lost: number;
  /** Streams that the proxy cut. */
  readonly cut: number;
  stop(): void;
}

/**
 * Starts a proxy that receives every response in full, so that the server has made the change, and then loses one in
 * five. It cuts streams of `/WatchInventory` after some messages. Preflight requests of browsers pass.
 */
export async function startDroppingProxy(target: string): Promise<DroppingProxy> {
  const upstream = new URL(target);
  const counts = { responses: 0, lost: 0, cut: 0 };
  const sockets = new Set<Socket>();

  /** Decides for each response how to lose it: one in five, each kind in turn. */
  function nextLoss(): Loss | undefined {
    return ++counts.responses % 5 === 0 ? losses[counts.lost++ % losses.length] : undefined;
  }

  /** Passes a response on over HTTP/1.1, or loses it. */
  async function passHttp1(
    response: IncomingMessage,
    outgoing: ServerResponse,
    path: string | undefined,
  ): Promise<void> {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    if (isWatch(path)) {
      for await (const chunk of upTo(watchChunks, response)) outgoing.write(chunk);
      counts.cut += 1;
      outgoing.destroy();
      return;
    }
    const body = Buffer.concat(await Array.fromAsync(response));
    const loss = nextLoss();
    if (loss === undefined) outgoing.end(body);
    else if (loss === "close the connection") outgoing.destroy();
    else if (loss === "send half") {
      outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
    }
  }

  const http1 = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const { hostname: host, port } = upstream;
    const forwarded = request({ host, port, path, method, headers }, (response) => {
      if (method === "OPTIONS") {
        response.pipe(outgoing.writeHead(response.statusCode ?? 502, response.headers));
      } else passHttp1(response, outgoing, path).catch(() => outgoing.destroy());
    });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });

  const session = connect(target);
  session.on("error", () => {});

  /** Passes a response on over HTTP/2, or loses it. */
  async function passHttp2(
    forwarded: ClientHttp2Stream,
    response: IncomingHttpHeaders,
    stream: ServerHttp2Stream,
    path: string | undefined,
  ): Promise<void> {
    if (isWatch(path)) {
      stream.respond(response);
      for await (const chunk of upTo(watchChunks, forwarded)) stream.write(chunk);
      counts.cut += 1;
      stream.session?.destroy();
      return;
    }
    let trailers: IncomingHttpHeaders | undefined;
    forwarded.on("trailers", (received) => {
      trailers = received;
    });
    const body = Buffer.concat(await Array.fromAsync(forwarded));
    const loss = nextLoss();
    if (loss === "close the connection") stream.session?.destroy();
    else if (loss === "send half") {
      stream.respond(response);
      stream.write(body.subarray(0, body.length / 2));
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    } else if (loss === undefined) {
      stream.respond(response, { endStream: body.length === 0, waitForTrailers: body.length > 0 });
      stream.on("wantTrailers", () => stream.sendTrailers(trailers ?? {}));
      if (body.length > 0) stream.end(body);
    }
  }

  const http2 = createHttp2Server();
  http2.on("session", (client) => client.on("error", () => {}));
  http2.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const { ":path": path } = headers;
    const { ":authority": _, ":scheme": __, ...forwardedHeaders } = headers;
    const forwarded = session.request(forwardedHeaders);
    stream.on("error", () => {});
    stream.on("close", () => forwarded.close(constants.NGHTTP2_CANCEL));
    forwarded.on("error", () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    forwarded.on("response", (response) => {
      passHttp2(forwarded, response, stream, path).catch(() =>
        stream.close(constants.NGHTTP2_INTERNAL_ERROR),
      );
    });
    stream.pipe(forwarded);
  });

  for (const server of [http1, http2]) {
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => sockets.delete(socket));
    });
  }
  return Object.assign(counts, {
    http1: await listen(http1),
    http2: await listen(http2),
    stop() {
      http1.close();
      http2.close();
      session.destroy();
      for (const socket of sockets) socket.destroy();
    },
  });
}

/** Chunks of a watch before the proxy cuts it. */
const watchChunks = 8;

function isWatch(path: string | undefined): boolean {
  return path?.endsWith("/WatchInventory") === true;
}

/** Yields the first chunks of a stream. */
async function* upTo(count: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = count;
  for await (const chunk of chunks) {
    yield chunk;
    left -= 1;
    if (left === 0) return;
  }
}
