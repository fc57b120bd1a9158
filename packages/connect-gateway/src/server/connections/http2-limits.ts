import {
  constants,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from "node:http2";
import {
  type FloodCounts,
  type FloodLimits,
  type Limit,
  newCounts,
  TokenBucket,
} from "../load/address-floods.ts";
import type { CountWork } from "../load/read-scheduler.ts";
import { endSession } from "./http2-goaway.ts";

/**
 * Most open streams of a connection, as announced to the client. RFC 9113, section 6.5.2 recommends at least 100. Clients
 * that use a single connection must wait when they reach it. At most 64 KiB of each stream is received ahead of its
 * handler, so the limit also bounds the memory of a connection.
 */
export const maxConcurrentStreams = 250;

/**
 * Most open streams before the server refuses new ones with REFUSED_STREAM, which clients can send again. A client may
 * open streams before it knows {@link maxConcurrentStreams}: most open at most 100 then. Each stream of a client that
 * ignores the limit costs node 50 µs to create and to close.
 */
export const maxOpenStreams = 300;

/** The same with the streams that the client has cancelled in this event-loop tick: node holds them until its end. */
export const maxHeldStreams = 500;

/** The limits of a connection. The connection of a client beyond them is closed. */
const limits: FloodLimits = {
  /**
   * Streams that end early. A legitimate client may cancel 1,000 calls per second, and reaches `atOnce` when the event loop is
   * blocked for 2.5 s. A client beyond that is attacking (CVE-2023-44487, CVE-2025-8671). Node holds about 5 KB for each until
   * the tick ends.
   */
  resets: { atOnce: 2_500, perSecond: 5_000 },
  /** Streams beyond {@link maxOpenStreams}. A client that does not know the limit yet may open some. */
  refused: { atOnce: 100, perSecond: 100 },
  /** Header sections that are too long. Until the client has acknowledged the limit, node stores up to 64 KiB of each. */
  tooLong: { atOnce: 32, perSecond: 32 },
  /** Bytes of frames such as WINDOW_UPDATE, and bodies of refused requests. They are only counted while they take much time. */
  otherBytes: { atOnce: 16 * 1024 * 1024, perSecond: 4 * 1024 * 1024 },
};

const timesPerAddress = 4;

/** The limits on all connections of one address together, so that a client cannot flood with one connection after another. */
export const addressLimits: FloodLimits = {
  resets: ofAddress(limits.resets),
  refused: ofAddress(limits.refused),
  tooLong: ofAddress(limits.tooLong),
  otherBytes: ofAddress(limits.otherBytes),
};

function ofAddress({ atOnce, perSecond }: Limit): Limit {
  return { atOnce: timesPerAddress * atOnce, perSecond: timesPerAddress * perSecond };
}

/** PING and SETTINGS frames. gRPC clients send one PING per round trip to measure the bandwidth. */
const controlFrames: Limit = { atOnce: 5_000, perSecond: 5_000 };
/** The work of such a frame, in requests, and its least length in bytes. */
const workOfControlFrame = 1 / 16;
const controlFrameBytes = 9;

/** Streams that node may reset by itself: in a row for lack of memory, or per second for invalid headers. */
const maxRejectedStreams = 1_000;
/** Length of an RST_STREAM frame in bytes (RFC 9113, section 6.4). */
const rstStreamBytes = 13;

/** Returns the limits that node enforces. The number of streams is not one of them (see announceSettings). */
export function nativeLimits(maxHeaderBytes: number) {
  const { atOnce, perSecond } = limits.resets;
  return {
    settings: { maxHeaderListSize: maxHeaderBytes },
    // In megabytes, never reached: node adds the unsent bytes of a stream that is reset and never subtracts them, so that
    // any real limit would end a connection after enough cancelled long responses. The number of streams and the size of
    // pieces (http/exchange/send-pieces.ts) limit the memory instead.
    maxSessionMemory: 1_000_000,
    // In addition to our own count, which does not see resets after a complete response. Node's count grows only when a
    // new second begins, and closes the connection as an internal error. So it has room for all that ours allows in a
    // second.
    streamResetBurst: 2 * (atOnce + perSecond),
    streamResetRate: 2 * perSecond,
    // In the lifetime of a connection. A body longer than its content-length closes it at once, where RFC 9113, section
    // 8.1.1 asks for a stream error. Node has no option for that.
    maxSessionInvalidFrames: 10_000,
    maxSessionRejectedStreams: maxRejectedStreams,
    // The service sets no header twice, so node need not look for that in every response.
    strictSingleValueFields: false,
  } satisfies ServerOptions;
}

export class FloodLimit {
  readonly #session: ServerHttp2Session;
  readonly #counts = newCounts(limits);
  readonly #ofAddress: FloodCounts | undefined;
  readonly #onFlood: () => void;
  /** Whether the connection is about to be closed, so that its requests are ignored. */
  isClosing = false;

  /** Streams that node has reported, and bytes of the bodies of responses that have ended, since the last check. */
  streams = 0;
  #bodyBytes = 0;
  /** The id of the last stream, and the number of bytes written, at the last check. */
  #checkedId = 0;
  #checkedBytes = 0;
  /** Whether the number of resets may have exceeded the limit between the last two checks. */
  #isOver = false;

  /** @param ofAddress undefined for an exempt address @param countWork gets the work of a frame, and its length in bytes */
  constructor(
    session: ServerHttp2Session,
    ofAddress: FloodCounts | undefined,
    onFlood: () => void,
    countWork: CountWork,
  ) {
    this.#session = session;
    this.#ofAddress = ofAddress;
    this.#onFlood = onFlood;
    const frames = new TokenBucket(controlFrames);
    const count = () => {
      countWork(workOfControlFrame, controlFrameBytes);
      this.#take(frames);
    };
    session.on("ping", count);
    // The first SETTINGS frame begins the connection.
    session.once("remoteSettings", () => session.on("remoteSettings", count));
  }

  /** Whether no stream has ended early lately. */
  get isCalm(): boolean {
    return this.#counts.resets.isFull();
  }

  /** Counts events. @param times the number of bytes for `otherBytes` */
  count(event: keyof FloodLimits, times = 1): void {
    this.#take(this.#counts[event], this.#ofAddress?.[event], times);
  }

  /** Counts a stream that has closed. @param bodyBytes the length of its response body */
  streamClosed({ aborted, rstCode }: ServerHttp2Stream, bodyBytes: number): void {
    if (aborted || rstCode !== constants.NGHTTP2_NO_ERROR) this.count("resets");
    else this.#bodyBytes += bodyBytes;
  }

  /**
   * Estimates how many streams node has reset without reporting them, because of invalid headers. Call it every second.
   *
   * Two numbers bound the estimate: the ids that node has not reported, although a client may skip ids (RFC 9113, section
   * 5.1.1); and the RST_STREAM frames, one for each reset stream, that fit in the bytes written, less the response bodies.
   * A client that skips many ids during a long response can exceed the limit in one check. Therefore the connection is
   * closed only after two checks in a row.
   */
  check(): void {
    const { lastProcStreamID = 0 } = this.#session.state;
    const { bytesWritten } = this.#session.socket;
    const missing = (lastProcStreamID - this.#checkedId) / 2 - this.streams;
    const frames = (bytesWritten - this.#checkedBytes - this.#bodyBytes) / rstStreamBytes;
    this.#checkedId = lastProcStreamID;
    this.#checkedBytes = bytesWritten;
    this.streams = 0;
    this.#bodyBytes = 0;
    const wasOver = this.#isOver;
    this.#isOver = Math.min(missing, frames) > maxRejectedStreams;
    if (wasOver && this.#isOver) this.#close();
  }

  #take(bucket: TokenBucket, ofAddress?: TokenBucket, tokens = 1): void {
    // Streams that end together with their connection do not count.
    if (this.isClosing || this.#session.destroyed) return;
    const isAllowed = bucket.take(tokens);
    if (ofAddress?.take(tokens) === false || !isAllowed) this.#close();
  }

  #close(): void {
    if (this.isClosing) return;
    this.isClosing = true;
    this.#onFlood();
    // First, because close() reports NO_ERROR, and destroys a session without open streams.
    this.#session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    // From now on, node refuses streams before it creates objects for them.
    this.#session.close();
    const error = new Error(
      "The client opens or resets streams, or sends PING, SETTINGS or WINDOW_UPDATE frames, too often.",
    );
    endSession(this.#session, error, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }
}
