import type { OutgoingHttpHeader } from "node:http";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Socket } from "node:net";
import { guardEmit } from "../../call/guard.ts";
import { newRequestRecord, type RequestRecord } from "../../call/request-record.ts";
import { type Counted, type Counter, countBy } from "../counted.ts";
import { discardHttp2 } from "./discard-body.ts";
import { Http2Request, StreamEvents } from "./http2-request.ts";
import { http2NodeExchange, type NodeExchange } from "./node-exchange.ts";
import type { ThrowHandler } from "./node-http.ts";
import { cutStream } from "./reset-unless-sent.ts";
import { freeHeaderBytes, headerBytes, headerChars, responseBytes, type Unread } from "./unread.ts";

/** The response to an {@link Http2Request}, with the part of node:http's interface that is used here. */
export class Http2Response extends StreamEvents implements Counted {
  readonly req: Http2Request;
  readonly #onThrow: ThrowHandler;
  counter: Counter | undefined;
  readonly record: RequestRecord;
  /** Whether the listener has accepted the request. */
  isAccepted = false;
  /** Bytes of the body that were handed to the stream. */
  bytesSent = 0;
  /** Neighbors in the list of open streams. */
  previous: Http2Response | undefined;
  next: Http2Response | undefined;
  statusCode = 200;
  #headers: Record<string, OutgoingHttpHeader> = {};
  #trailers: Readonly<Record<string, string>> | undefined;
  #isBegun = false;
  #isEnded = false;
  /** Counts the memory that waits for the client. */
  readonly unread: Unread | undefined;
  /** Memory that waits for the client, in bytes: of the response without its body, and of its body. */
  #held = 0;
  #heldBody = 0;
  #isReleased = false;

  constructor(request: Http2Request, onThrow: ThrowHandler, unread?: Unread) {
    super(request.stream);
    this.req = request;
    this.unread = unread;
    this.record = newRequestRecord(request.arrivedAt);
    this.#onThrow = onThrow;
  }

  /** Makes an error thrown by a callback the error of this request. */
  fail(error: unknown): void {
    this.#onThrow(this.req, this, error);
  }

  /** Whether a write fails because the stream is closed, which is not a bug. */
  get isReset(): boolean {
    return this.stream.closed;
  }

  /** The status that was sent; undefined while nothing was sent. A stream can be sent by other objects than this one. */
  get statusSent(): number | undefined {
    const { headersSent, sentHeaders } = this.stream;
    return headersSent ? Number(sentHeaders?.[":status"] ?? this.statusCode) : undefined;
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

  /** Returns the request and the response as connect-node takes them. @param onCut called when the body is aborted */
  toNode(onCut: () => void): NodeExchange {
    return http2NodeExchange(this, onCut);
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

  setHeader(name: string, value: OutgoingHttpHeader): this {
    this.#headers[name.toLowerCase()] = value;
    return this;
  }

  getHeader(name: string): OutgoingHttpHeader | undefined {
    return this.#headers[name.toLowerCase()];
  }

  hasHeader(name: string): boolean {
    return this.getHeader(name) !== undefined;
  }

  removeHeader(name: string): void {
    delete this.#headers[name.toLowerCase()];
  }

  /** Returns the headers that were set, by name in lower case. */
  getHeaders(): Readonly<Record<string, OutgoingHttpHeader>> {
    return this.#headers;
  }

  /**
   * Sets status and headers. They are sent with the first piece of the body or with the end, so a response without a
   * body is one frame. Can be called again, without the earlier trailers, when a response could not be sent.
   */
  writeHead(status: number, headers: Readonly<Record<string, number | string>>): this {
    this.statusCode = status;
    Object.assign(this.#headers, headers);
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
    return this.written(chunk.length, this.stream.write(chunk));
  }

  /**
   * Counts a piece of the body that was written to the stream.
   *
   * @param isTaken what the write returned: whether the client has received all bytes sent so far
   * @returns `isTaken`
   */
  written(bytes: number, isTaken: boolean): boolean {
    const { stream } = this;
    this.bytesSent += bytes;
    this.unread?.pass(bytes);
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
    this.#headers[":status"] = this.statusCode;
    if (options.waitForTrailers) {
      stream.on("wantTrailers", () => stream.sendTrailers(this.#trailers ?? {}));
    }
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
 * @param socket the connection
 * @param unread counts the memory of the exchange that waits for the client
 * @param chars the number of characters in `rawHeaders`
 */
export function http2Exchange(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: string[],
  socket: Socket,
  onThrow: ThrowHandler,
  unread?: Unread,
  chars = headerChars(rawHeaders),
): { readonly request: Http2Request; readonly response: Http2Response } {
  const request = new Http2Request(stream, headers, rawHeaders, chars, socket);
  const response = new Http2Response(request, onThrow, unread);
  guardEmit(stream, (error) => response.fail(error));
  // A failed stream does not close by itself, and all code here waits for its `close` event.
  stream.on("error", () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  // Without this, the body of a stream that was reset would look complete.
  stream.on("aborted", () => request.abortBody());
  return { request, response };
}
