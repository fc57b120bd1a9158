import { connect } from "node:net";
import { framesOf, frameType } from "../../support/http2-frames.ts";
import { isWhole } from "../abuse/attacks/wire.ts";
import type { FuzzCase } from "./corpus.ts";

/** A case hangs if there is no response and the connection stays open for this time, in ms. */
const hangMs = 5_000;
/** Time to read a response after its first bytes, in ms. */
const streamMs = 1_000;

/** The classes of responses that a server must never send. */
type Fault = "500" | "internal" | "hang";

/**
 * Sends a case on a new connection and reads the response.
 *
 * @returns the fault of the response; undefined if it is proper, or the connection was closed
 */
export function sendCase(
  { kind, bytes, cuts }: FuzzCase,
  port: number,
): Promise<Fault | undefined> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const isOver = kind === "http1" ? isWholeHttp1 : isWholeHttp2;
    const fault = kind === "http1" ? http1Fault : http2Fault;
    const end = (early: Fault | undefined = fault(received)) => {
      clearTimeout(timer);
      clearTimeout(streaming);
      socket.destroy();
      resolve(early);
    };
    let streaming: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => end(hasResponse(kind, received) ? undefined : "hang"), hangMs);
    socket.on("error", () => {});
    socket.on("close", () => end());
    socket.on("data", (chunk: Buffer) => {
      if (received.length < 300_000) received = Buffer.concat([received, chunk]);
      if (isOver(received)) end();
      else if (hasResponse(kind, received)) streaming ??= setTimeout(() => end(), streamMs);
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

/** True if a response has begun. */
function hasResponse(kind: FuzzCase["kind"], received: Buffer): boolean {
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

/** The one answer that gRPC and Connect require to be internal: to a compressed message without an encoding. */
const required =
  /grpc-message: The message is marked as compressed, but the request names no encoding\..*\r\ngrpc-status: 13\r$|\{"code":"internal","message":"The message is marked as compressed, but the request names no encoding\./gim;

function faultOfText(whole: string): Fault | undefined {
  const text = whole.replace(required, "");
  if (/grpc-status: ?(?:13|2)\b/i.test(text)) return "internal";
  // An error begins with its code. So does the result of another call in an entry of the audit trail.
  if (/(?<!"result":)\{"code":"(?:internal|unknown)"/.test(text)) return "internal";
  // The trailers of gRPC-Web text are base64.
  const encoded = /^content-type: application\/grpc-web-text/im.test(text);
  const body = encoded ? text.slice(text.indexOf("\r\n\r\n") + 4) : "";
  return body !== "" ? faultOfText(Buffer.from(body, "base64").toString("latin1")) : undefined;
}

function http2Fault(received: Buffer): Fault | undefined {
  const frames = framesOf(received);
  const blocks = frames.filter(({ type }) => type === frameType.headers);
  for (const { payload } of blocks) {
    // `:status: 500` is one byte of the static table. Size updates of the dynamic table may precede it.
    let at = 0;
    while (((payload[at] ?? 0) & 0xe0) === 0x20) at++;
    if (payload[at] === 0x8e) return "500";
  }
  const data = frames.filter(({ type }) => type === frameType.data).map(({ payload }) => payload);
  return faultOfText(Buffer.concat(data).toString("latin1"));
}
