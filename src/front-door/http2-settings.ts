import { getPackedSettings, type Settings } from "node:http2";
import type { Socket } from "node:net";

const frameHeadBytes = 9;
const settingsType = 0x4;
/** An identifier that no specification will define, and the first byte of a value for it. */
const unknownSetting = Buffer.from([0x0a, 0x0a, 0x00]);

/**
 * Announces settings to the client that node's HTTP/2 session does not know. To be called on a connection on which the
 * server has sent nothing. The session can be made when `done` is called.
 *
 * Node enforces what it announces, and counts a stream against its limit until the end of the event-loop iteration in
 * which the stream was reset. A client that cancels calls and keeps to the limit would exceed it. So the limit of
 * streams has to be announced without node, for which it has no option.
 *
 * This sends the beginning of the server's first SETTINGS frame, with `announced`. The rest of that frame are the
 * bytes that node sends first: its own SETTINGS frame. Its head, together with the three bytes before it, reads as two
 * unknown settings, which clients ignore (RFC 9113, section 6.5.2), and its settings are settings of the frame that
 * the client sees. The client acknowledges one frame, which node takes as the acknowledgment of its own.
 *
 * @param settings those that the session will be made with; none of them may be in `announced` too
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
  // A TLS socket takes one write at a time, and the session writes past the queue.
  socket.write(Buffer.concat([head, first]), (error) => {
    if (!error) {
      done();
    }
  });
}
