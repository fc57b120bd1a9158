import type { Socket } from "node:net";
import { setReadTimeout } from "../../call/read-timeout.ts";

/** The first bytes of every HTTP/2 client (RFC 9113, section 3.4). */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/**
 * Detects the protocol of a cleartext connection by its first bytes: HTTP/2 with prior knowledge (RFC 9113, section
 * 3.3), or HTTP/1 for all others. Puts these bytes back before it calls `onDecided`.
 *
 * After `timeoutMs`, it destroys the connection of a client that has sent nothing or only a part of the preface. It
 * sends no error, because the protocol is unknown.
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
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
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

/** @returns undefined while the bytes are a part of the preface, so that both protocols are possible */
function protocolOf(bytes: Buffer): "http1" | "http2" | undefined {
  const length = Math.min(bytes.length, preface.length);
  if (bytes.compare(preface, 0, length, 0, length) !== 0) {
    return "http1";
  }
  return length === preface.length ? "http2" : undefined;
}
