import type { OutgoingHttpHeader } from "node:http";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Socket } from "node:net";
import { newRequestRecord, type RequestRecord } from "../../call/request-record.ts";
import { followStream, type StreamFollower } from "../../server/node-internals/http2-session.ts";
import { type Counted, type Counter, countBy } from "../counted.ts";
import { discardHttp2 } from "./discard-body.ts";
import { Http2Request, StreamEvents } from "./http2-request.ts";
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
  /** A DATA frame of this length has arrived. At the end of the body, the length is 0. */
  received(bytes: number): void;
  /** The client has cancelled the stream. */
  cancelled(): void;
  /** The stream is closed. */
  closed(response: Http2Response): void;
}

/** The response to an {@link Http2Request}, with the part of node:http's interface that is used here. */
export class Http2Response extends StreamEvents implements Counted, StreamFollower {
  readonly req: Http2Request;
  readonly #connection: Http2Connection;
  counter: Counter | undefined;
  readonly record: RequestRecord;
  /** Whether the listener has accepted the request. */
  isAccepted = false;
  /** Bytes of the body that were handed to the stream. */
  bytesSent = 0;
  /** Neighbors in the list of open streams. */
  previous: Http2Response | undefined;
  next: Http2Response | undefined;
  /** Names in lower case and values, alternating. The first is the status. */
  readonly #headers: string[] = [":status", "200"];
  #trailers: Readonly<Record<string, string>> | undefined;
  #isBegun = false;
  #isEnded = false;
  /** Memory that waits for the client, in bytes: of the response without its body, and of its body. */
  #held = 0;
  #heldBody = 0;
  #isReleased = false;

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

  received(bytes: number): void {
    this.req.received(bytes);
    this.#connection.received(bytes);
  }

  /** Without this, the body of a stream that was reset would look complete. */
  aborted(): void {
    this.req.abortBody();
    this.#connection.cancelled();
  }

  sendTrailers(): void {
    this.stream.sendTrailers(this.#trailers ?? {});
  }

  failed(): void {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  closed(): void {
    this.#connection.closed(this);
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

  /** Streams do not wait for each other. */
  get isNext(): boolean {
    return true;
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
    if (stream.destroyed || stream.state.remoteClose === 1) return;
    const begun = stream.headersSent && !stream.writableFinished;
    if (!begun) refuse();
    this.req.abortBody();
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
    this.#respond({ waitForTrailers: true });
    const { stream } = this;
    const isTaken = stream.write(chunk);
    this.bytesSent += chunk.length;
    this.unread?.pass(chunk.length);
    if (!isTaken && this.#heldBody === 0) stream.once("drain", () => this.#hold(this.#held, 0));
    if (!isTaken || this.#heldBody > 0) this.#hold(this.#held, stream.writableLength);
    return isTaken;
  }

  /**
   * Stops counting the request as open, because node has its response. From now on, its memory is counted as unread.
   */
  handOver(): void {
    countBy(this, undefined);
    const { req } = this;
    const headers = headerBytes(req.headerChars, req.rawHeaders);
    if (headers <= freeHeaderBytes) {
      this.#hold(responseBytes, this.#heldBody);
    } else {
      req.dropHeaders();
      // The strings still count, because they take memory until the next garbage collection.
      this.#hold(responseBytes + headers, this.#heldBody);
    }
  }

  /** Call it when the stream is closed. What is handed over or written later is not counted, because it is dropped. */
  release(): void {
    countBy(this, undefined);
    this.#hold(0, 0);
    this.#isReleased = true;
  }

  #hold(bytes: number, bodyBytes: number): void {
    if (this.#isReleased) return;
    const before = this.#held + this.#heldBody;
    this.#held = bytes;
    this.#heldBody = bodyBytes;
    this.unread?.hold(bytes + bodyBytes - before, this.req.arrivedAt);
  }

  /** @param encoding the encoding of a string */
  end(data?: string | Uint8Array, encoding: BufferEncoding = "utf8"): this {
    const { stream } = this;
    if (this.#isEnded) return this;
    this.handOver();
    if (!stream.closed) {
      const waitForTrailers = this.#trailers !== undefined;
      this.#respond({ waitForTrailers, endStream: data === undefined && !waitForTrailers });
      // A response without content, such as one to HEAD, has ended already.
      if (!stream.writableEnded) {
        if (data === undefined) stream.end();
        else {
          this.bytesSent += data.length;
          this.unread?.pass(data.length);
          stream.end(data, encoding);
          this.#hold(this.#held, stream.writableLength);
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

  #respond(options: { readonly waitForTrailers: boolean; readonly endStream?: boolean }): void {
    const { stream } = this;
    if (stream.headersSent) return;
    try {
      stream.respond(this.#headers, options);
      this.#isBegun = true;
    } catch (error) {
      this.#isBegun = false;
      throw error;
    }
  }
}

/**
 * Makes the request and the response of a stream from the arguments of its `stream` event. An error thrown by a
 * listener of the stream becomes the error of the request.
 *
 * @param rawHeaders names and values as sent, alternating
 * @param chars the number of characters in `rawHeaders`
 */
export function http2Exchange(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: string[],
  connection: Http2Connection,
  chars = headerChars(rawHeaders),
): Http2Response {
  const { socket, unread } = connection;
  const request = new Http2Request(stream, headers, rawHeaders, chars, socket, unread);
  const response = new Http2Response(request, connection);
  followStream(stream, response);
  return response;
}
