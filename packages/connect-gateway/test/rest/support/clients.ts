import { Agent, type ClientRequest, createServer, request as requestH1 } from "node:http";
import {
  type ClientHttp2Stream,
  connect,
  createServer as createServerH2,
  type Http2Server,
} from "node:http2";
import type { AddressInfo } from "node:net";
import {
  responseOn,
  responseTo,
  type WholeResponse,
} from "../../../../../test/support/whole-response.ts";
import type { Exchange } from "../../../src/http/exchange/exchange.ts";
import { nodeListener } from "../../../src/http/exchange/node-listener.ts";

export interface RequestInit {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with its length. A list is sent in chunks, without a length. */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[];
}

/** A client with its own server, over one connection of a real socket. */
export interface Client {
  send(method: string, target: string, init?: RequestInit): Promise<WholeResponse>;
  readonly port: number;
  close(): Promise<void>;
}

/** Sends the body of a request, if it expects that after a 100. */
function sendBody(outgoing: ClientRequest | ClientHttp2Stream, { headers, body }: RequestInit) {
  const whole = body as string | Uint8Array | undefined;
  if (headers?.expect !== undefined) {
    outgoing.on("continue", () => outgoing.end(whole));
    return;
  }
  for (const chunk of Array.isArray(body) ? body : [whole]) {
    if (chunk !== undefined) outgoing.write(chunk);
  }
  outgoing.end();
}

/** Returns the length of a body that is not sent in chunks. */
const lengthOf = (body: RequestInit["body"]) =>
  (body instanceof Uint8Array || typeof body === "string") && {
    "content-length": Buffer.byteLength(body),
  };

export type Listener = (exchange: Exchange) => void;

async function overHttp1(listener: Listener): Promise<Client> {
  const overHttp1 = nodeListener(listener);
  const server = createServer(overHttp1).on("checkContinue", overHttp1);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    port,
    send(method, target, init = {}) {
      const { headers, body } = init;
      const chunked = Array.isArray(body) && { "transfer-encoding": "chunked" };
      const outgoing = requestH1({
        port,
        agent,
        method,
        path: target,
        headers: { ...headers, ...lengthOf(body), ...chunked },
      });
      if (headers?.expect !== undefined) outgoing.flushHeaders();
      sendBody(outgoing, init);
      return responseTo(outgoing);
    },
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server for HTTP/2 only. */
export function createServerHttp2(listener: Listener): Http2Server {
  const overHttp2 = nodeListener(listener);
  return createServerH2(overHttp2).on("checkContinue", overHttp2);
}

async function overHttp2(listener: Listener): Promise<Client> {
  const server = createServerHttp2(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const session = connect(`http://127.0.0.1:${port}`);
  return {
    port,
    send(method, target, init = {}) {
      const { headers, body } = init;
      const stream = session.request(
        { ":method": method, ":path": target, ...headers, ...lengthOf(body) },
        { endStream: body === undefined },
      );
      if (body !== undefined) sendBody(stream, init);
      return responseOn(stream);
    },
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
): Promise<WholeResponse> {
  const client = await serve(listener);
  try {
    return await client.send(method, target, init);
  } finally {
    await client.close();
  }
}

export function errorBody(status: number, code: string, message: string): string {
  return JSON.stringify({ code, message, status });
}
