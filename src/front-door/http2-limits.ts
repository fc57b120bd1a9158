import {
  constants,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from "node:http2";
import { endSession } from "./end-session.ts";
import { TokenBucket } from "./token-bucket.ts";

/**
 * Streams that a client is told it may have open on a connection. More than the least that RFC 9113, section 6.5.2
 * recommends (100), because clients that multiplex everything over one connection wait beyond it. With at most 64 KiB
 * received ahead of a handler for each stream it bounds what one connection can make the server hold.
 */
export const maxConcurrentStreams = 250;

/**
 * Open streams beyond which new ones are refused with REFUSED_STREAM, which says that nothing was done, so that clients
 * send the request again. A stream counts until its last listener has run, and a client may open streams before it
 * knows the limit: therefore more than {@link maxConcurrentStreams}.
 */
export const maxOpenStreams = 2 * maxConcurrentStreams;

/**
 * Streams that may end early in a second, because the client cancels them or breaks the protocol. An honest client
 * cancels 1,000 calls a second. A client with more than this limit floods (CVE-2023-44487, CVE-2025-8671): its
 * connection is closed.
 */
const maxResetsPerSecond = 5_000;
/**
 * Streams that may end early at once. A client that cancels 1,000 calls a second does that when the event loop was
 * blocked for 2.5 s. Node holds all of them until the end of the event-loop iteration, with about 5 KB each.
 */
const maxResetsAtOnce = 2_500;

/**
 * Streams beyond {@link maxOpenStreams}, at once and per second. A client that does not know the limit yet may open
 * some. One that ignores it makes node hold an object for each until the end of the event-loop iteration.
 */
const maxRefused = 100;

/**
 * PING and SETTINGS frames, at once and per second. gRPC clients send a PING per round trip to measure the bandwidth,
 * in addition to those that keep the connection alive.
 */
const maxControlFrames = 5_000;

/**
 * Memory of a session before node refuses new streams, in megabytes: out of reach. node counts what a stream has not
 * sent when it is reset, and never subtracts it, so any limit ends a connection on which enough long responses are
 * cancelled. What a connection can hold is bounded by its streams and by the pieces in which responses are written.
 */
const maxSessionMemory = 1_000_000;

/** Frames that break the protocol in the whole life of a connection, before node closes it. */
const maxInvalidFrames = 10_000;
/** Streams that node resets by itself, in a row for lack of memory or in a second for their header fields. */
const maxRejectedStreams = 1_000;

/** The limits that node enforces itself. The number of streams is not one of them: see announceSettings. */
export function nativeLimits(maxHeaderBytes: number) {
  return {
    settings: { maxHeaderListSize: maxHeaderBytes },
    maxSessionMemory,
    // A second line behind our own count, which does not see resets of responses that are already complete.
    streamResetBurst: 2 * maxResetsAtOnce,
    streamResetRate: 2 * maxResetsPerSecond,
    maxSessionInvalidFrames: maxInvalidFrames,
    maxSessionRejectedStreams: maxRejectedStreams,
  } satisfies ServerOptions;
}

/** Closes the connection of a client that floods it. */
export class FloodLimit {
  readonly #session: ServerHttp2Session;
  readonly #resets = new TokenBucket(maxResetsAtOnce, maxResetsPerSecond);
  readonly #refused = new TokenBucket(maxRefused, maxRefused);
  readonly #controlFrames = new TokenBucket(maxControlFrames, maxControlFrames);

  /** Streams that node has passed on. */
  #streams = 0;
  /** Those, and the number of the last stream, at the time of the last check. */
  #checkedStreams = 0;
  #checkedId = 0;
  #isClosing = false;

  constructor(session: ServerHttp2Session) {
    this.#session = session;
    const count = () => this.#take(this.#controlFrames);
    session.on("ping", count);
    session.on("remoteSettings", count);
  }

  /** Whether no stream has ended early lately. */
  get isCalm(): boolean {
    return this.#resets.isFull();
  }

  /** Whether the connection is about to be closed: nothing more is done for it. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Counts a stream that node has passed on. */
  streamOpened(): void {
    this.#streams += 1;
  }

  /**
   * Looks for streams that node has reset without passing them on, because of their header fields: of them it says
   * nothing. To be called every second. The streams of a client have odd numbers, one after the other.
   */
  check(): void {
    const { lastProcStreamID = 0 } = this.#session.state;
    const all = (lastProcStreamID - this.#checkedId) / 2;
    const passedOn = this.#streams - this.#checkedStreams;
    this.#checkedId = lastProcStreamID;
    this.#checkedStreams = this.#streams;
    if (all - passedOn > maxRejectedStreams) {
      this.#close();
    }
  }

  /** Counts a stream that was refused because the connection has too many open. */
  streamRefused(): void {
    this.#take(this.#refused);
  }

  /** Counts a stream that is over, if it ended early. */
  streamClosed(stream: ServerHttp2Stream): void {
    if (stream.aborted || stream.rstCode !== constants.NGHTTP2_NO_ERROR) {
      this.#take(this.#resets);
    }
  }

  #take(bucket: TokenBucket): void {
    if (!bucket.take()) {
      this.#close();
    }
  }

  #close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    // From here on node refuses streams before it makes objects for them.
    this.#session.close();
    const error = new Error(
      "the client opens or resets streams, or sends PING or SETTINGS, too often",
    );
    endSession(this.#session, error, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }
}
