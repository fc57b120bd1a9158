import {
  constants,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from "node:http2";
import type { AddressFlood, AddressLimits } from "../load/address-floods.ts";
import type { CountWork } from "../load/read-scheduler.ts";
import { TokenBucket } from "../load/token-bucket.ts";
import { endSession } from "../node-internals/end-session.ts";

/**
 * Most open streams of a connection, as announced to the client. RFC 9113, section 6.5.2 recommends at least 100. The
 * limit is higher because clients that use a single connection must wait when they reach it. At most 64 KiB of each
 * stream is received ahead of its handler, so the limit also bounds the memory of a connection.
 */
export const maxConcurrentStreams = 250;

/**
 * Most open streams before the server refuses new ones with REFUSED_STREAM. Clients can send a refused request again.
 * The limit is higher than {@link maxConcurrentStreams} because a client may open streams before it knows the limit.
 * Most clients open at most 100 then. A lower limit makes floods cheaper: a client that ignores it opens all these
 * streams in one read, and each costs node 50 µs to create and to close.
 */
export const maxOpenStreams = 300;

/**
 * The same with the streams that the client has cancelled in this event-loop tick. Node holds their objects until the
 * end of the tick.
 */
export const maxHeldStreams = 500;

/**
 * Streams per second that may end early, because the client cancels them or breaks the protocol. A legitimate client
 * may cancel 1,000 calls per second. A client beyond the limit is attacking (CVE-2023-44487, CVE-2025-8671), and its
 * connection is closed.
 */
const maxResetsPerSecond = 5_000;
/**
 * Streams that may end early at once. A client that cancels 1,000 calls per second reaches this number when the event
 * loop is blocked for 2.5 s. Node holds all of them until the end of the event-loop tick, with about 5 KB each.
 */
const maxResetsAtOnce = 2_500;

/**
 * Streams beyond {@link maxOpenStreams} that are allowed at once and per second. A client that does not know the limit
 * yet may open some. If a client ignores the limit, node holds an object for each stream until the end of the tick.
 */
const maxRefused = 100;

/**
 * Header sections beyond the limit that are allowed at once and per second, before the client has acknowledged the limit.
 * Until then, node accepts and stores headers of up to 64 KiB.
 */
const maxTooLong = 32;

/**
 * Bytes that are neither headers nor bodies of open streams, such as WINDOW_UPDATE frames: at once and per second. A
 * client that goes on sending bodies after their requests were refused may have as many. They are only counted while
 * they take much time.
 */
const maxOtherBytes = { atOnce: 16 * 1024 * 1024, perSecond: 4 * 1024 * 1024 };

/**
 * The limits of an address are this many times those of one connection. Without them, a client could flood with one
 * connection after another.
 */
const timesPerAddress = 4;

/** The limits on all connections of one address together. */
export const addressLimits: AddressLimits = {
  resets: ofAddress(maxResetsAtOnce, maxResetsPerSecond),
  refused: ofAddress(maxRefused, maxRefused),
  tooLong: ofAddress(maxTooLong, maxTooLong),
  otherBytes: ofAddress(maxOtherBytes.atOnce, maxOtherBytes.perSecond),
};

function ofAddress(atOnce: number, perSecond: number) {
  return { atOnce: timesPerAddress * atOnce, perSecond: timesPerAddress * perSecond };
}

/**
 * PING and SETTINGS frames that are allowed at once and per second. gRPC clients send one PING per round trip to
 * measure the bandwidth, and others to keep the connection alive.
 */
const maxControlFrames = 5_000;
/** The work of such a frame, in requests, and its least length in bytes. */
const workOfControlFrame = 1 / 16;
const controlFrameBytes = 9;

/**
 * Memory of a session before node refuses new streams, in megabytes. The value is too high to be reached. Node adds the
 * unsent bytes of a stream that is reset and never subtracts them, so any real limit would end a connection after
 * enough cancelled long responses. The number of streams and the size of pieces (http/send-pieces.ts) limit the memory
 * instead.
 */
const maxSessionMemory = 1_000_000;

/**
 * Invalid frames in the lifetime of a connection after which node closes it. A body longer than its content-length
 * closes it at once, where RFC 9113, section 8.1.1 asks for a stream error. Node has no option for that.
 */
const maxInvalidFrames = 10_000;
/** Streams that node may reset by itself: in a row for lack of memory, or per second for invalid headers. */
const maxRejectedStreams = 1_000;
/** Length of an RST_STREAM frame in bytes (RFC 9113, section 6.4). */
const rstStreamBytes = 13;

/** Returns the limits that node enforces. The number of streams is not one of them (see announceSettings). */
export function nativeLimits(maxHeaderBytes: number) {
  return {
    settings: { maxHeaderListSize: maxHeaderBytes },
    maxSessionMemory,
    // In addition to our own count, which does not see resets after a complete response. Node's count grows only when a
    // new second begins, and closes the connection as an internal error. So it has room for all that ours allows in a
    // second.
    streamResetBurst: 2 * (maxResetsAtOnce + maxResetsPerSecond),
    streamResetRate: 2 * maxResetsPerSecond,
    maxSessionInvalidFrames: maxInvalidFrames,
    maxSessionRejectedStreams: maxRejectedStreams,
    // The service sets no header twice, so node need not look for that in every response.
    strictSingleValueFields: false,
  } satisfies ServerOptions;
}

/** Closes the connection of a client that floods it with streams, resets or control frames. */
export class FloodLimit {
  readonly #session: ServerHttp2Session;
  readonly #resets = new TokenBucket(maxResetsAtOnce, maxResetsPerSecond);
  readonly #refused = new TokenBucket(maxRefused, maxRefused);
  readonly #tooLong = new TokenBucket(maxTooLong, maxTooLong);
  readonly #otherBytes = new TokenBucket(maxOtherBytes.atOnce, maxOtherBytes.perSecond);
  readonly #controlFrames = new TokenBucket(maxControlFrames, maxControlFrames);

  /** Streams that node has reported since the last check. */
  #streams = 0;
  /** Bytes of the bodies of responses that ended since the last check. */
  #bodyBytes = 0;
  /** The id of the last stream, and the number of bytes written, at the last check. */
  #checkedId = 0;
  #checkedBytes = 0;
  /** Whether the number of resets may have exceeded the limit between the last two checks. */
  #isOver = false;
  #isClosing = false;
  readonly #address: AddressFlood | undefined;

  readonly #onFlood: (() => void) | undefined;

  /**
   * @param address the counts of the client's address; absent when the address is exempt
   * @param onFlood called when the connection is closed
   * @param countWork called with the work of a frame that is limited here, and its length in bytes
   */
  constructor(
    session: ServerHttp2Session,
    address?: AddressFlood,
    onFlood?: () => void,
    countWork: CountWork = () => {},
  ) {
    this.#session = session;
    this.#onFlood = onFlood;
    this.#address = address;
    const count = () => {
      countWork(workOfControlFrame, controlFrameBytes);
      this.#take(this.#controlFrames);
    };
    session.on("ping", count);
    // The first SETTINGS frame begins the connection.
    session.once("remoteSettings", () => session.on("remoteSettings", count));
  }

  /** Whether no stream has ended early lately. */
  get isCalm(): boolean {
    return this.#resets.isFull();
  }

  /** Whether the connection is about to be closed, so that its requests are ignored. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Counts a stream that node has reported. */
  streamOpened(): void {
    this.#streams += 1;
  }

  /**
   * Estimates how many streams node has reset without reporting them, because of invalid headers. Call it every second.
   *
   * Two numbers bound the estimate. The first is the number of ids that node has not reported. A client may skip ids
   * (RFC 9113, section 5.1.1), so it can be too high. The second is the number of RST_STREAM frames that fit in the
   * bytes written, less the response bodies, because the server writes one such frame for each reset stream.
   *
   * A client that skips many ids during a long response can exceed the limit in one check. Therefore the connection is
   * closed only after two checks in a row.
   */
  check(): void {
    const { lastProcStreamID = 0 } = this.#session.state;
    const { bytesWritten } = this.#session.socket;
    const missing = (lastProcStreamID - this.#checkedId) / 2 - this.#streams;
    const frames = (bytesWritten - this.#checkedBytes - this.#bodyBytes) / rstStreamBytes;
    this.#checkedId = lastProcStreamID;
    this.#checkedBytes = bytesWritten;
    this.#streams = 0;
    this.#bodyBytes = 0;
    const wasOver = this.#isOver;
    this.#isOver = Math.min(missing, frames) > maxRejectedStreams;
    if (wasOver && this.#isOver) this.#close();
  }

  /** Counts a stream that was refused because the connection has too many open streams. */
  streamRefused(): void {
    this.#take(this.#refused, this.#address?.refused);
  }

  /** Counts a header section that exceeds the limit, which the client has not acknowledged yet. */
  headersTooLong(): void {
    this.#take(this.#tooLong, this.#address?.tooLong);
  }

  /** Counts bytes that are neither headers nor bodies of open streams. */
  otherBytes(bytes: number): void {
    this.#take(this.#otherBytes, this.#address?.otherBytes, bytes);
  }

  /**
   * Counts a stream that has closed.
   *
   * @param bodyBytes the length of its response body
   */
  streamClosed(stream: ServerHttp2Stream, bodyBytes: number): void {
    if (stream.aborted || stream.rstCode !== constants.NGHTTP2_NO_ERROR) {
      this.#take(this.#resets, this.#address?.resets);
    } else this.#bodyBytes += bodyBytes;
  }

  #take(bucket: TokenBucket, ofAddress?: TokenBucket, tokens = 1): void {
    // Streams that end together with their connection do not count.
    if (this.#isClosing || this.#session.destroyed) return;
    const isAllowed = bucket.take(tokens);
    if (ofAddress?.take(tokens) === false || !isAllowed) this.#close();
  }

  #close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#onFlood?.();
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
