import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import {
  flag,
  frame,
  frameType,
  type ReceivedFrame,
} from "../../../../../test/support/http2-frames.ts";
import { until } from "../../../../../test/system/harness/until.ts";
import { opening, settingsAck } from "./http2-frames.ts";

/** A client that sends the frames of the test. It acknowledges a PING only when the test says so. */
export interface RawClient {
  readonly socket: Socket;
  readonly isClosed: boolean;
  readonly received: readonly ReceivedFrame[];
  /** The received frames of a type; only those of a stream, if one is given. */
  of(type: number, stream?: number): readonly ReceivedFrame[];
  /** Last stream ids of the received GOAWAY frames. Node repeats the last frame when it ends a session. */
  lastStreams(): readonly number[];
  /** Acknowledges the first PING of the server. */
  acknowledge(): void;
  /** Waits until the server has handled all frames sent so far. */
  sync(): Promise<void>;
}

/** Connects, and waits until the server has acknowledged the SETTINGS of the client. */
export async function connectRaw(port: number, { acknowledges = true } = {}): Promise<RawClient> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const received: ReceivedFrame[] = [];
  let isClosed = false;
  socket.on("data", frameReader(received));
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
  });
  const of = (type: number, stream?: number) =>
    received.filter(
      (each) => each.type === type && (stream === undefined || each.stream === stream),
    );
  socket.write(opening);
  await until("the SETTINGS came", () => of(frameType.settings).length === 2);
  if (acknowledges) socket.write(settingsAck);
  return {
    socket,
    get isClosed() {
      return isClosed;
    },
    received,
    of,
    lastStreams: () => [
      ...new Set(of(frameType.goAway).map(({ payload }) => payload.readUInt32BE())),
    ],
    acknowledge() {
      const [ping] = of(frameType.ping);
      socket.write(frame(frameType.ping, flag.ack, 0, ping?.payload ?? Buffer.alloc(8)));
    },
    async sync() {
      const before = of(frameType.ping).length;
      socket.write(frame(frameType.ping, 0, 0, Buffer.alloc(8)));
      await until("the PING is acknowledged", () => of(frameType.ping).length > before);
    },
  };
}

/** Splits received bytes into frames. */
function frameReader(frames: ReceivedFrame[]): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9) {
      const end = 9 + rest.readUIntBE(0, 3);
      if (rest.length < end) return;
      frames.push({
        type: rest.readUInt8(3),
        flags: rest.readUInt8(4),
        stream: rest.readUInt32BE(5),
        payload: rest.subarray(9, end),
      });
      rest = rest.subarray(end);
    }
  };
}
