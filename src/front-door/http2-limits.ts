import {
  constants,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from "node:http2";
import type { AddressFlood, AddressLimits } from "./address-floods.ts";
import { endSession } from "./end-session.ts";
import { TokenBucket } from "./token-bucket.ts";

/**
 * Most open streams of a connection, as announced to the client. It is more than the minimum of 100 that RFC 9113,
 * section 6.5.2 recommends, because clients that multiplex everything over one connection wait beyond it. At most
 * 64 KiB of each stream is received ahead of its handler, so this bounds the memory that one connection takes.
 */
export const maxConcurrentStreams = 250;

/**
 * Most open streams before the server refuses new ones with REFUSED_STREAM, after which clients can send the request
 * again. It is more than {@link maxConcurrentStreams} because a stream counts until its last listener has run, and a
 * client may open streams before it knows the limit.
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
 * The limits of an address are this many times those of one connection. Without them, a client could flood with one
 * connection after another.
 */
const timesPerAddress = 4;

/** What the connections of one address may do together. */
export const addressLimits: AddressLimits = {
  resets: {
    atOnce: timesPerAddress * maxResetsAtOnce,
    perSecond: timesPerAddress * maxResetsPerSecond,
  },
  refused: { atOnce: timesPerAddress * maxRefused, perSecond: timesPerAddress * maxRefused },
};

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
/** Length of an RST_STREAM frame. RFC 9113, 6.4 */
const rstStreamBytes = 13;

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

  /** Streams that node has passed on since the last check. */
  #streams = 0;
  /** Bytes of the bodies of responses that ended since the last check. */
  #bodyBytes = 0;
  /** The id of the last stream, and the bytes written, at the time of the last check. */
  #checkedId = 0;
  #checkedBytes = 0;
  /** Whether more streams may have been reset than are allowed, between the last two checks. */
  #isOver = false;
  #isClosing = false;
  readonly #address: AddressFlood | undefined;

  /** @param address counts of the client's address; absent when they are not limited */
  constructor(session: ServerHttp2Session, address?: AddressFlood) {
    this.#session = session;
    this.#address = address;
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
   * Looks for streams that node has reset without passing them on, because of their header fields: node does not report
   * them. To be called every second.
   *
   * The ids of these streams are missing among those that were passed on. A client may skip ids, too (RFC 9113, section
   * 5.1.1), but for a stream that was reset the server has written an RST_STREAM frame. So their number is at most that
   * of the missing ids, and at most that of the frames for which the bytes written, without response bodies, are enough.
   * A client that skips many ids once, while it gets a long response, is over the limit for one second: it takes two to
   * close the connection.
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

  /** Counts a stream that was refused because the connection has too many open. */
  streamRefused(): void {
    this.#take(this.#refused, this.#address?.refused);
  }

  /**
   * Counts a stream that is over.
   *
   * @param bodyBytes bytes of its response's body
   */
  streamClosed(stream: ServerHttp2Stream, bodyBytes: number): void {
    if (stream.aborted || stream.rstCode !== constants.NGHTTP2_NO_ERROR) {
      this.#take(this.#resets, this.#address?.resets);
    } else this.#bodyBytes += bodyBytes;
  }

  #take(bucket: TokenBucket, ofAddress?: TokenBucket): void {
    // The streams that end with their connection are no flood.
    if (this.#isClosing || this.#session.destroyed) return;
    const isAllowed = bucket.take();
    if (ofAddress?.take() === false || !isAllowed) this.#close();
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
