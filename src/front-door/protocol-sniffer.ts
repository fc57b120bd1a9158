import type { Socket } from "node:net";
import { setReadTimeout } from "../call/read-timeout.ts";

/** What every HTTP/2 client sends first. RFC 9113, 3.4 */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/**
 * Tells HTTP/2 with prior knowledge (RFC 9113, 3.3) from HTTP/1 by the first bytes of a cleartext
 * connection, and hands the connection on with those bytes put back. What merely resembles the
 * preface is HTTP/1, whose parser refuses it.
 *
 * A client that stays silent or stops within the preface is cut off without an answer after
 * `timeoutMs`: nothing is known of the protocol that it would understand.
 */
export function sniffProtocol(
  socket: Socket,
  timeoutMs: number,
  onDecided: (protocol: "http1" | "http2") => void,
): void {
  let seen: Buffer = Buffer.alloc(0);
  const deadline = setReadTimeout(() => socket.destroy(), timeoutMs);
  const stop = () => {
    deadline.cancel();
    socket.off("readable", read);
    socket.off("close", stop);
  };
  const read = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) {
      return;
    }
    seen = Buffer.concat([seen, chunk]);
    const protocol = protocolOf(seen);
    if (protocol !== undefined) {
      stop();
      socket.unshift(seen);
      onDecided(protocol);
    }
  };
  socket.on("readable", read);
  socket.on("close", stop);
}

/** `undefined` while `bytes` are a beginning of the preface and could become either. */
function protocolOf(bytes: Buffer): "http1" | "http2" | undefined {
  const length = Math.min(bytes.length, preface.length);
  if (bytes.compare(preface, 0, length, 0, length) !== 0) {
    return "http1";
  }
  return length === preface.length ? "http2" : undefined;
}
