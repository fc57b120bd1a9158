import type { OutgoingHttpHeader } from "node:http";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { guardEmit } from "../../call/guard.ts";
import { newRequestRecord, type RequestRecord } from "../../call/request-record.ts";
import { type Counted, type Counter, countBy } from "../counted.ts";
import { discardHttp2 } from "./discard-body.ts";
import { tight } from "./growing-buffer.ts";
import type { ThrowHandler } from "./node-http.ts";
import { cutStream } from "./reset-unless-sent.ts";
import { freeHeaderBytes, headerBytes, headerChars, responseBytes, type Unread } from "./unread.ts";

/** The connection of a stream. The response calls it when something happens to the stream. */
export interface Http2Connection {
  readonly socket: Socket;
  /** Counts the memory that waits for the client. */
  readonly unread?: Unread | undefined;
  /** Makes an error thrown by a callback the error of its request. */
  readonly onThrow: ThrowHandler;
  /** A piece of a body was read. */
  received(bytes: number): void;
  /** The stream is closed. */
  closed(response: Http2Response): void;
}

// biome-ignore lint/suspicious/noExplicitAny: node declares listeners so.
type Listener = (...args: any[]) => void;

/** Registers listeners on a stream. Requests and responses emit no events of their own. */
class StreamEvents {
  readonly stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream) {
    this.stream = stream;
  }

  on(event: string, listener: Listener): this {
    this.stream.on(event, listener);
    return this;
  }

  once(event: string, listener: Listener): this {
    this.stream.once(event, listener);
    return this;
  }

  off(event: string, listener: Listener): this {
    this.stream.off(event, listener);
    return this;
  }
}

const nothing = new Uint8Array();

/**
 * A request over HTTP/2, with the part of node:http's interface that is used here. Node's own compatibility class is a
 * second stream on top of the HTTP/2 stream, and costs as much as that stream.
 */
export class Http2Request extends StreamEvents {
  readonly httpVersion = "2.0";
  readonly httpVersionMajor = 2;
  /** The time at which the header section was complete. */
  readonly arrivedAt = performance.now();
  readonly headers: IncomingHttpHeaders;
  /** Names and values as sent, alternating. */
  readonly rawHeaders: readonly string[];
  /** Number of characters in {@link rawHeaders}. */
  readonly headerChars: number;
  /** Bytes of the body that were read. */
  bodyBytes = 0;
  readonly #connection: Http2Connection;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
    connection: Http2Connection,
  ) {
    super(stream);
    this.headers = headers;
    this.rawHeaders = rawHeaders;
    this.headerChars = headerChars(rawHeaders);
    this.#connection = connection;
  }

  /** The connection. Node's `session.socket` cannot be used any more when the session is closed. */
  get socket(): Socket {
    return this.#connection.socket;
  }

  get method(): string | undefined {
    return this.headers[":method"];
  }

  get url(): string | undefined {
    return this.headers[":path"];
  }

  set url(target: string) {
    this.headers[":path"] = target;
  }

  /** Whether the end of the body has arrived, whether it was read or not. */
  get hasWholeBody(): boolean {
    const { stream } = this;
    return stream.endAfterHeaders || stream.state.remoteClose === 1;
  }

  /** Whether the body was read completely, or no more of it will arrive. */
  get complete(): boolean {
    const { stream } = this;
    // Node ends the stream only one step after its last byte was read.
    return stream.closed || stream.destroyed || (this.hasWholeBody && stream.readableLength === 0);
  }

  /** The length of the body by the header section, in bytes; undefined when it is not known before the body ends. */
  get declaredLength(): number | undefined {
    const length = this.headers["content-length"];
    if (length !== undefined) return Number(length);
    return this.stream.endAfterHeaders ? 0 : undefined;
  }

  /** The stream that yields the body. */
  get bodySource(): Readable {
    return this.stream;
  }

  /** Identifies the connection of the request; undefined when it is closed. */
  get transport(): object | undefined {
    return this.stream.session;
  }

  /** Whether the end of the body may never arrive. Node's stream still ends as if the body were complete. */
  get isBodyAborted(): boolean {
    return this.stream.closed;
  }

  /** Returns the body if all of it has arrived and nothing has read it. */
  takeBody(): Uint8Array | undefined {
    const { stream } = this;
    if (stream.closed || !this.hasWholeBody) return undefined;
    // Without a length, it would return the first piece only.
    const body: Buffer | null = stream.read(stream.readableLength);
    stream.read(0); // ends the stream
    if (!body) return nothing;
    this.received(body.length);
    return tight(body);
  }

  /** Counts a piece of the body that was read. */
  received(bytes: number): void {
    this.bodyBytes += bytes;
    this.#connection.received(bytes);
  }
}

/** The response to an {@link Http2Request}, with the part of node:http's interface that is used here. */
export class Http2Response extends StreamEvents implements Counted {
  readonly req: Http2Request;
  readonly #connection: Http2Connection;
  counter: Counter | undefined;
  readonly record: RequestRecord;
  /** Whether the listener has accepted the request. */
  isAccepted = false;
  /** Bytes of the body that were handed to the stream. */
  bytesSent = 0;
  /** Names in lower case and values, alternating. The first is the status. */
  readonly #headers: string[] = [":status", "200"];
  #trailers: Readonly<Record<string, string>> | undefined;
  #isBegun = false;
  #isEnded = false;
  /** Memory of the response without its body that waits for the client, in bytes. */
  #held = 0;

  constructor(request: Http2Request, connection: Http2Connection) {
    super(request.stream);
    this.req = request;
    this.#connection = connection;
    this.record = newRequestRecord(request.arrivedAt);
  }

  /** Counts the memory that waits for the client. */
  get unread(): Unread | undefined {
    return this.#connection.unread;
  }

  /** Makes an error thrown by a callback the error of this request. */
  fail(error: unknown): void {
    this.#connection.onThrow(this.req, this, error);
  }

  /** Whether a write fails because the stream is closed, which is not a bug. */
  get isReset(): boolean {
    return this.stream.closed;
  }

  /** The status that was sent; undefined while nothing was sent. */
  get statusSent(): number | undefined {
    const { headersSent, sentHeaders } = this.stream;
    return headersSent ? Number(sentHeaders?.[":status"]) : undefined;
  }

  /** Whether the whole response was sent. */
  get isComplete(): boolean {
    const { headersSent, aborted, rstCode } = this.stream;
    return headersSent && !aborted && rstCode === constants.NGHTTP2_NO_ERROR;
  }

  /** node copies each write, even if the client does not read. */
  get isCopied(): boolean {
    return true;
  }

  /** See `discard-body.ts`. */
  discardBody(maxBytes: number): void {
    discardHttp2(this, maxBytes);
  }

  /** Ends a request whose body takes too long. @param refuse sends the error */
  timeOutBody(refuse: () => void): void {
    const { stream } = this;
    if (stream.destroyed || this.req.hasWholeBody) return;
    const begun = stream.headersSent && !stream.writableFinished;
    if (!begun) refuse();
    stream.close(begun ? constants.NGHTTP2_CANCEL : constants.NGHTTP2_NO_ERROR);
  }

  /** See `reset-unless-sent.ts`. */
  resetUnlessSent(): void {
    cutStream(this);
  }

  get headersSent(): boolean {
    return this.#isBegun;
  }

  get writableEnded(): boolean {
    return this.#isEnded;
  }

  get writableFinished(): boolean {
    return this.stream.headersSent && this.stream.writableFinished;
  }

  get destroyed(): boolean {
    return this.stream.destroyed;
  }

  get statusCode(): number {
    return Number(this.#headers[1]);
  }

  set statusCode(status: number) {
    this.#headers[1] = String(status);
  }

  setHeader(name: string, value: OutgoingHttpHeader): this {
    this.#set(name.toLowerCase(), value);
    return this;
  }

  #set(key: string, value: OutgoingHttpHeader): void {
    const headers = this.#headers;
    const known = this.#indexOf(key);
    const at = known < 0 ? headers.length : known;
    headers[at] = key;
    // Node takes lists, too, although its types do not say so.
    headers[at + 1] = typeof value === "number" ? String(value) : (value as string);
  }

  /** @returns the index of a name in lower case; -1 if it is not set */
  #indexOf(key: string): number {
    const headers = this.#headers;
    for (let at = 0; at < headers.length; at += 2) {
      if (headers[at] === key) return at;
    }
    return -1;
  }

  getHeader(name: string): OutgoingHttpHeader | undefined {
    const at = this.#indexOf(name.toLowerCase());
    return at < 0 ? undefined : this.#headers[at + 1];
  }

  hasHeader(name: string): boolean {
    return this.#indexOf(name.toLowerCase()) >= 0;
  }

  removeHeader(name: string): void {
    const at = this.#indexOf(name.toLowerCase());
    if (at >= 0) this.#headers.splice(at, 2);
  }

  /** Returns the headers that were set, by name in lower case. */
  getHeaders(): Readonly<Record<string, OutgoingHttpHeader>> {
    const found: Record<string, OutgoingHttpHeader> = {};
    for (let at = 2; at < this.#headers.length; at += 2) {
      found[this.#headers[at] as string] = this.#headers[at + 1] as OutgoingHttpHeader;
    }
    return found;
  }

  /**
   * Sets status and headers. They are sent with the first piece of the body or with the end, so a response without a
   * body is one frame. Can be called again, without the earlier trailers, when a response could not be sent.
   *
   * @param headers by name in lower case
   */
  writeHead(status: number, headers: Readonly<Record<string, number | string>>): this {
    this.statusCode = status;
    for (const name in headers) this.#set(name, headers[name] as OutgoingHttpHeader);
    this.#trailers = undefined;
    this.#isBegun = true;
    return this;
  }

  /** Sets the trailers. Call it before `end`. @param trailers by name in lower case */
  addTrailers(trailers: Readonly<Record<string, string>>): void {
    this.#trailers = trailers;
  }

  writeContinue(): void {
    const { stream } = this;
    if (!stream.headersSent && !stream.closed) {
      stream.additionalHeaders({ ":status": constants.HTTP_STATUS_CONTINUE });
    }
  }

  /** The session joins the frames of an event-loop tick already. */
  cork(): void {}
  uncork(): void {}

  /** @returns whether the client has received all bytes sent so far */
  write(chunk: string | Uint8Array): boolean {
    if (this.stream.closed || this.stream.writableEnded) return false;
    // Waiting for trailers delays the frame that ends the response, so that a reset can still be sent before it.
    this.#respond(true, false);
    this.#count(chunk.length);
    return this.stream.write(chunk);
  }

  #count(bytes: number): void {
    this.bytesSent += bytes;
    this.unread?.pass(bytes);
  }

  /**
   * Stops counting the request as open, because node has its response. From now on, its memory is counted as unread.
   */
  handOver(): void {
    countBy(this, undefined);
    if (this.#held > 0 || this.stream.destroyed) return;
    const headers = headerBytes(this.req.headerChars, this.req.rawHeaders);
    this.#held = responseBytes + (headers > freeHeaderBytes ? headers : 0);
    this.unread?.hold(this.#held, this.req.arrivedAt);
  }

  /** Call it when the stream is closed. */
  release(): void {
    countBy(this, undefined);
    if (this.#held > 0) this.unread?.hold(-this.#held, this.req.arrivedAt);
  }

  /** Memory of the parts of the bodies that the client has not read, and that no handler has read, in bytes. */
  get buffered(): number {
    return this.stream.writableLength + this.stream.readableLength;
  }

  /** @param encoding the encoding of a string */
  end(data?: string | Uint8Array, encoding: BufferEncoding = "utf8"): this {
    const { stream } = this;
    if (this.#isEnded) return this;
    this.handOver();
    if (!stream.closed) {
      const hasTrailers = this.#trailers !== undefined;
      this.#respond(hasTrailers, data === undefined && !hasTrailers);
      // A response without content, such as one to HEAD, has ended already.
      if (!stream.writableEnded) {
        if (data === undefined) stream.end();
        else {
          this.#count(data.length);
          stream.end(data, encoding);
        }
      }
    }
    this.#isEnded = true;
    return this;
  }

  /** Resets the stream, so that the client sees that the response is incomplete. */
  destroy(): this {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return this;
  }

  #respond(waitForTrailers: boolean, endStream: boolean): void {
    const { stream } = this;
    if (stream.headersSent) return;
    if (waitForTrailers) {
      stream.once("wantTrailers", () => stream.sendTrailers(this.#trailers ?? {}));
    }
    try {
      stream.respond(this.#headers, { waitForTrailers, endStream });
      this.#isBegun = true;
    } catch (error) {
      this.#isBegun = false;
      throw error;
    }
  }
}

/** A stream that has failed does not close by itself. */
function closeFailed(this: ServerHttp2Stream): void {
  this.close(constants.NGHTTP2_INTERNAL_ERROR);
}

/**
 * Makes the request and the response of a stream from the arguments of its `stream` event. An error thrown by a
 * listener of the stream becomes the error of the request.
 *
 * @param rawHeaders names and values as sent, alternating
 */
export function http2Exchange(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  connection: Http2Connection,
): Http2Response {
  const request = new Http2Request(stream, headers, rawHeaders, connection);
  const response = new Http2Response(request, connection);
  guardEmit(stream, (error) => response.fail(error));
  stream.on("error", closeFailed);
  stream.on("close", () => connection.closed(response));
  return response;
}
