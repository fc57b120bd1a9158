import { getPackedSettings, type Settings } from "node:http2";
import type { Socket } from "node:net";

const frameHeadBytes = 9;
const settingsType = 0x4;
/** An identifier that no specification will define, and the first byte of its value. */
const unknownSetting = Buffer.from([0x0a, 0x0a, 0x00]);

/**
 * Announces settings to the client without the knowledge of node's HTTP/2 session. Call it before the server sends
 * anything on the connection, and create the session when `done` is called.
 *
 * Node enforces the settings that it announces. It counts a stream against its limit until the end of the event-loop
 * tick in which the stream was reset, so a client that cancels calls within the announced limit would exceed it.
 *
 * The function sends the beginning of the server's first SETTINGS frame, with `announced`. The frame is completed by
 * the first bytes that node sends, which are its own SETTINGS frame. The header of node's frame, with the three bytes
 * before it, reads as two unknown settings, which clients ignore (RFC 9113, section 6.5.2). The client acknowledges one
 * frame, and node takes this as the acknowledgment of its own frame.
 *
 * @param settings the settings with which the session will be created; none of them may be in `announced`
 */
export function announceSettings(
  socket: Socket,
  announced: Settings,
  settings: Settings,
  done: () => void,
): void {
  const first = Buffer.concat([getPackedSettings(announced), unknownSetting]);
  const head = Buffer.alloc(frameHeadBytes);
  head.writeUIntBE(first.length + frameHeadBytes + getPackedSettings(settings).length, 0, 3);
  head.writeUInt8(settingsType, 3);
  // Wait for the write: a TLS socket takes one write at a time, and the session bypasses the socket's queue.
  socket.write(Buffer.concat([head, first]), (error) => error || done());
}
