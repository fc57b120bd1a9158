import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { opening } from "../../../support/http2-frames.ts";
import { openConnections } from "../../../support/open-connections.ts";
import type { Target } from "./attack.ts";

/** Attacks forge `X-Forwarded-For` from this address, which the server trusts as a proxy. */
export const proxyAddress = "127.0.0.9";

/** The address of probes, from which no attack comes. */
export const probeAddress = "127.0.0.8";

/** The nth address of an attacker. Honest clients use 127.0.0.1. */
export function attacker(n: number): string {
  return `127.0.${1 + Math.floor(n / 250)}.${1 + (n % 250)}`;
}

/** Opens a connection. Ignores errors, because `close` follows. */
export function open({ port }: Pick<Target, "port">, from = attacker(0)): Socket {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from, noDelay: true });
  socket.on("error", () => {});
  return socket;
}

/** Opens connections from several addresses. */
export async function openMany(target: Target, count: number, addresses = 10): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, (_, n) => open(target, attacker(n % addresses)));
  await Promise.all(sockets.map(opened));
  return sockets;
}

/** Opens HTTP/2 connections from several addresses, and sends the preface and `settings`. */
export async function openHttp2(
  target: Target,
  count: number,
  settings: Readonly<Record<number, number>> = {},
): Promise<Socket[]> {
  const sockets = await openMany(target, count);
  for (const socket of sockets) socket.write(opening(settings));
  return sockets;
}

async function opened(socket: Socket): Promise<void> {
  await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => {});
}

/** Writes pieces as fast as the connection accepts them, until all are written or the time has passed. */
export async function pour(socket: Socket, pieces: Iterable<Buffer>, until: number): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed || performance.now() > until) return;
    if (!socket.write(piece)) await drained(socket, until);
  }
}

async function drained(socket: Socket, until: number): Promise<void> {
  const leave = new AbortController();
  const { signal } = leave;
  await Promise.race([
    once(socket, "drain", { signal }),
    once(socket, "close", { signal }),
    delay(Math.max(0, until - performance.now()), undefined, { signal }),
  ]).catch(() => {});
  leave.abort();
}

export function* times(count: number, piece: Buffer): Generator<Buffer> {
  for (let n = 0; n < count; n++) yield piece;
}

/** Headers of an HTTP/1.1 request. The values are sent as they are, even if they are invalid. */
export type Headers = Readonly<Record<string, string>>;

/** The bytes of an HTTP/1.1 request. */
export function http1(
  method: string,
  path: string,
  headers: Headers = {},
  body?: string | Buffer,
): Buffer {
  const all = { host: "localhost", ...headers };
  const content = body === undefined ? undefined : Buffer.from(body);
  const length = content && !("transfer-encoding" in headers) && !("content-length" in headers);
  const lines = Object.entries(length ? { ...all, "content-length": content.length } : all).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1"),
    content ?? Buffer.alloc(0),
  ]);
}

export function bearer(key: string): Headers {
  return { authorization: `Bearer ${key}` };
}

/** The text that a connection received. */
export interface Reply {
  /** The status of the last response; 0 if there was none. */
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

/**
 * Sends bytes on a new connection, and reads until a response is complete, the server closes the connection,
 * or the timeout has passed.
 */
export async function ask(
  target: Pick<Target, "port">,
  bytes: Buffer,
  { from = attacker(0), timeoutMs = 3_000 } = {},
): Promise<Reply> {
  const begun = performance.now();
  const socket = open(target, from);
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
    if (isWhole(text)) socket.destroy();
  });
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  const closed = once(socket, "close");
  socket.write(bytes);
  await closed;
  clearTimeout(timer);
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
  return { status: statuses.at(-1) ?? 0, text, ms: performance.now() - begun };
}

/** True if the text begins with a complete response. Interim responses (1xx) do not count. */
export function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const head = text.slice(0, end);
  const body = text.slice(end + 4);
  if (/^HTTP\/1\.1 1/.test(head)) return isWhole(body);
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (length !== undefined) return body.length >= Number(length);
  if (/^transfer-encoding: chunked$/im.test(head)) return body.endsWith("0\r\n\r\n");
  return /^HTTP\/1\.1 (?:204|304)/.test(head);
}

/**
 * Waits until the server has closed all but five of the connections opened since `before` was measured.
 *
 * @param before open connections at the beginning
 * @returns how many are still open
 */
export async function leftOver(
  { port }: Target,
  before: number,
  withinMs: number,
): Promise<number> {
  const until = performance.now() + withinMs;
  for (;;) {
    const left = Math.max(0, openConnections(port) - before);
    if (left <= 5 || performance.now() > until) return left;
    await delay(50);
  }
}
