import { connect } from "node:net";
import { isWhole } from "../abuse/attacks/wire.ts";
import { framesOf, frameType } from "../support/http2-frames.ts";
import type { ConnectionCase } from "./case.ts";

/** Time without a response or the end of the connection after which a case counts as a hang. */
const hangMs = 5_000;
/** How long a response that has begun is read on. */
const streamMs = 1_000;

/** What Connect and gRPC demand for a message marked as compressed without naming a coding: no bug. */
const demandedInternal = "do not know how to decompress";

/** What a server must never send, as the class of the finding. */
export type Fault = "500" | "internal" | "hang";

/** What became of a case on a connection. */
export interface Outcome {
  /** What is wrong with the response; undefined when it is proper, or the connection was closed. */
  readonly fault: Fault | undefined;
  readonly received: Buffer;
}

/**
 * Sends a case on a connection of its own and reads the response.
 *
 * @param timeoutMs after how long without a response the case hangs */
export function sendCase(
  { kind, bytes, cuts }: ConnectionCase,
  port: number,
  timeoutMs = hangMs,
): Promise<Outcome> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const isOver = kind === "http1" ? isWholeHttp1 : isWholeHttp2;
    const fault = kind === "http1" ? http1Fault : http2Fault;
    const end = (early: Fault | undefined = fault(received)) => {
      clearTimeout(timer);
      clearTimeout(streaming);
      socket.destroy();
      resolve({ fault: early, received });
    };
    let streaming: NodeJS.Timeout | undefined;
    const timer = setTimeout(
      () => end(hasAnswered(kind, received) ? undefined : "hang"),
      timeoutMs,
    );
    socket.on("error", () => {});
    socket.on("close", () => end());
    socket.on("data", (chunk: Buffer) => {
      if (received.length < 300_000) received = Buffer.concat([received, chunk]);
      if (isOver(received)) end();
      else if (hasAnswered(kind, received)) streaming ??= setTimeout(() => end(), streamMs);
    });
    let at = 0;
    for (const cut of cuts) {
      socket.write(bytes.subarray(at, at + cut));
      at += cut;
    }
    socket.write(bytes.subarray(at));
  });
}

function isWholeHttp1(received: Buffer): boolean {
  return isWhole(received.toString("latin1"));
}

function isWholeHttp2(received: Buffer): boolean {
  return framesOf(received).some(
    ({ type, flags }) =>
      type === frameType.rstStream ||
      type === frameType.goAway ||
      ((type === frameType.data || type === frameType.headers) && (flags & 1) === 1),
  );
}

/** Whether there is anything of a response. */
function hasAnswered(kind: ConnectionCase["kind"], received: Buffer): boolean {
  if (kind === "http1") return received.length > 0;
  return framesOf(received).some(({ type }) =>
    [frameType.headers, frameType.data, frameType.rstStream, frameType.goAway].includes(type as 0),
  );
}

function http1Fault(received: Buffer): Fault | undefined {
  const text = received.toString("latin1");
  if (/^HTTP\/1\.1 500 /m.test(text)) return "500";
  return faultOfText(text);
}

function faultOfText(text: string): Fault | undefined {
  if (text.replaceAll("%20", " ").includes(demandedInternal)) return undefined;
  if (/grpc-status: ?(?:13|2)\b/i.test(text)) return "internal";
  if (/"code":"(?:internal|unknown)"/.test(text)) return "internal";
  // The trailers of gRPC-Web as text are base64.
  const encoded = /^content-type: application\/grpc-web-text/im.test(text);
  const body = encoded ? text.slice(text.indexOf("\r\n\r\n") + 4) : "";
  return body !== "" ? faultOfText(Buffer.from(body, "base64").toString("latin1")) : undefined;
}

function http2Fault(received: Buffer): Fault | undefined {
  const frames = framesOf(received);
  const blocks = frames.filter(({ type }) => type === frameType.headers);
  for (const { payload } of blocks) {
    // `:status: 500` is one byte of the static table, behind updates of the dynamic table's size.
    let at = 0;
    while (((payload[at] ?? 0) & 0xe0) === 0x20) at++;
    if (payload[at] === 0x8e) return "500";
  }
  const data = frames.filter(({ type }) => type === frameType.data).map(({ payload }) => payload);
  return faultOfText(Buffer.concat(data).toString("latin1"));
}
