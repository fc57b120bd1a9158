import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
  type ServerStreamResponseOptions,
} from "node:http2";
import type { HeaderValues } from "../../call/call-error.ts";
import { type Connection, Exchange, type ResponseHeaders } from "./exchange.ts";
import { freeHeaderBytes, headerBytes, responseBytes } from "./unread.ts";

/** Headers that are used after the response was passed to node. */
const neededHeaders = ["traceparent", "x-forwarded-for"];

/** How long to wait for the end of a body after a response, in milliseconds: curl 7.88 loses a response read with a reset. */
const maxRestMs = 200;

/** How often to check whether a response was sent, in milliseconds. Node has no event for it. */
const responsePollMs = 5;

/** Longest headers or trailers, in bytes, with 7 more for each name and value. For longer ones, node would close the session. */
const longestSection = 65_400;

/**
 * How node sends a response that may have trailers, one with a body, and one without. Waiting for trailers delays the frame that
 * ends a response in pieces, so that a reset can still be sent before it.
 */
const inPieces = { waitForTrailers: true, endStream: false };
const whole = { waitForTrailers: false, endStream: false };
const empty = { waitForTrailers: false, endStream: true };

/** A request over HTTP/2 and its response. Node's own compatibility classes are streams on top of the HTTP/2 stream. */
export class Http2Exchange extends Exchange {
  readonly httpVersion = "2.0";
  readonly stream: ServerHttp2Stream;
  headers: IncomingHttpHeaders;
  isTimedOut = false;
  isAccepted = false;
  headersSent = false;
  writableEnded = false;
  private status = 200;
  /** Number of names and values without those of `writeHead`. */
  private countBefore = 0;
  private trailers: HeaderValues | undefined = undefined;

  /** Takes the arguments of the `stream` event. @param rawHeaders names and values as sent, alternating */
  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: string[],
    connection: Connection,
  ) {
    super(connection, headers[":method"], headers[":path"], rawHeaders);
    this.stream = stream;
    this.headers = headers;
    stream.on("error", closeFailed);
  }

  get body(): ServerHttp2Stream {
    return this.stream;
  }

  get complete(): boolean {
    return this.stream.endAfterHeaders || this.stream.state.remoteClose === 1;
  }

  get isBodyAborted(): boolean {
    const { aborted, rstCode } = this.stream;
    return this.isTimedOut || aborted || rstCode !== constants.NGHTTP2_NO_ERROR;
  }

  protected get hasNoBody(): boolean {
    return this.stream.endAfterHeaders;
  }

  get statusSent(): number | undefined {
    return this.stream.headersSent ? this.status : undefined;
  }

  get isComplete(): boolean {
    const { headersSent, aborted, rstCode } = this.stream;
    return headersSent && !aborted && rstCode === constants.NGHTTP2_NO_ERROR;
  }

  /** A stream that is closed cannot be written, although node destroys it only when its body was read. */
  get destroyed(): boolean {
    return this.stream.destroyed || this.stream.closed;
  }

  get isEncrypted(): boolean {
    return this.stream.session?.encrypted === true;
  }

  protected discardIncoming(maxBytes: number): void {
    const { stream } = this;
    // Before the response is sent, because one unread byte can keep a whole read of the connection, 64 KiB, in memory.
    this.discard(maxBytes, () => stream.close(constants.NGHTTP2_NO_ERROR));
    // A response to HEAD is finished already.
    if (stream.writableFinished) closeWhenSent(stream);
    else stream.once("finish", () => closeWhenSent(stream));
  }

  timeOutBody(refuse: () => void): void {
    const { stream } = this;
    if (stream.destroyed || this.complete) return;
    const begun = stream.headersSent && !stream.writableFinished;
    if (!begun) refuse();
    this.isTimedOut = true;
    stream.close(begun ? constants.NGHTTP2_CANCEL : constants.NGHTTP2_NO_ERROR);
  }

  writeContinue(): void {
    const { stream } = this;
    // A server with node's compatibility API has sent it already.
    if (!stream.headersSent && !stream.closed && !stream.sentInfoHeaders?.length) {
      stream.additionalHeaders({ ":status": constants.HTTP_STATUS_CONTINUE });
    }
  }

  /** Can be called again, without the earlier trailers, when a response could not be sent. */
  writeHead(status: number, headers: ResponseHeaders): this {
    this.status = status;
    this.countBefore = this.count;
    this.addHeaders(headers);
    this.trailers = undefined;
    this.headersSent = true;
    return this;
  }

  flushHead(): void {
    if (!this.stream.closed) this.respond(inPieces);
  }

  addTrailers(trailers: HeaderValues): void {
    let size = 0;
    for (const name in trailers) size += sizeOf(name) + sizeOf(String(trailers[name]));
    if (size > longestSection) {
      this.takeBackHead();
      throw tooLong();
    }
    this.trailers = trailers;
  }

  write(piece: string | Uint8Array): boolean {
    const { stream } = this;
    if (stream.closed || stream.writableEnded) return false;
    this.respond(inPieces);
    this.sending(piece);
    const isTaken = stream.write(piece);
    if (!isTaken) stream.once("drain", () => this.holdBody(0));
    if (!isTaken) this.holdBody(stream.writableLength);
    return isTaken;
  }

  end(data?: string | Uint8Array, encoding: BufferEncoding = "utf8"): this {
    const { stream } = this;
    if (this.writableEnded) return this;
    this.handOver();
    if (!stream.closed) {
      this.respond(this.trailers ? inPieces : data === undefined ? empty : whole);
      // A response without content, such as one to HEAD, has ended already.
      if (stream.writableEnded) {
      } else if (data === undefined) stream.end();
      else {
        this.sending(data, encoding);
        stream.end(data, encoding);
        this.holdBody(stream.writableLength);
      }
    }
    this.writableEnded = true;
    return this;
  }

  private respond(options: ServerStreamResponseOptions): void {
    const { stream, list } = this;
    if (stream.headersSent) return;
    try {
      list.length = this.count;
      list.push(":status", String(this.status));
      if (this.listSize() > longestSection) throw tooLong();
      stream.respond(list, options);
    } catch (error) {
      this.takeBackHead();
      throw error;
    }
    this.headersSent = true;
    if (options === inPieces) stream.once("wantTrailers", () => this.sendTrailers());
  }

  /** Makes room for the headers of an error, unless headers were sent: removes those of `writeHead`, and the last ones if needed. */
  private takeBackHead(): void {
    if (this.stream.headersSent) return;
    this.headersSent = false;
    this.list.length = this.count = this.countBefore;
    while (this.listSize() > longestSection / 2) this.list.length = this.count -= 2;
  }

  private listSize(): number {
    let size = 0;
    for (const text of this.list) size += sizeOf(text);
    return size;
  }

  private sendTrailers(): void {
    try {
      this.stream.sendTrailers((this.trailers ?? {}) as OutgoingHttpHeaders);
    } catch (error) {
      this.fail(error);
    }
  }

  protected responseMemory(): number {
    const { headers, rawHeaders } = this;
    const bytes = headerBytes(rawHeaders);
    if (bytes <= freeHeaderBytes) return responseBytes;
    this.headers = Object.fromEntries(neededHeaders.map((name) => [name, headers[name]]));
    this.rawHeaders = [];
    // The strings still count, because they take memory until the next garbage collection.
    return responseBytes + bytes;
  }

  destroy(): void {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  protected get emitter(): ServerHttp2Stream {
    return this.stream;
  }
}

/** Returns the most bytes that a name or value takes in a header section. */
const sizeOf = (text: string) => text.length + 7;

const tooLong = () =>
  new RangeError(`headers or trailers over HTTP/2 must not take more than ${longestSection} bytes`);

/** A stream that has failed does not close by itself. */
function closeFailed(this: ServerHttp2Stream): void {
  this.close(constants.NGHTTP2_INTERNAL_ERROR);
}

/** Resets a stream as soon as its whole response was sent. An earlier reset could overtake the last frame of the response. */
function closeWhenSent(stream: ServerHttp2Stream, afterMs = maxRestMs): void {
  const timer = setTimeout(() => {
    if (stream.closed) return;
    if (stream.state.localClose === 1) stream.close(constants.NGHTTP2_NO_ERROR);
    else closeWhenSent(stream, responsePollMs);
  }, afterMs).unref();
  if (afterMs === maxRestMs) stream.once("close", () => clearTimeout(timer));
}
