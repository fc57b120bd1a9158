import type { OutgoingHttpHeader } from "node:http";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Socket } from "node:net";
import { guardEmit } from "../../call/guard.ts";
import { newRequestRecord, type RequestRecord } from "../../call/request-record.ts";
import { type Counted, type Counter, countBy } from "../counted.ts";
import type { ThrowHandler } from "./node-http.ts";
import { freeHeaderBytes, headerBytes, headerChars, responseBytes, type Unread } from "./unread.ts";

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

/** Headers that are used after the response was passed to node. */
const neededHeaders = [":method", ":path", "traceparent", "x-forwarded-for"];

/**
 * A request over HTTP/2, with the part of node:http's interface that is used here. Node's own compatibility class is a
 * second stream on top of the HTTP/2 stream, and costs as much as that stream.
 */
export class Http2Request extends StreamEvents {
  readonly httpVersion = "2.0";
  readonly httpVersionMajor = 2;
  /** The time at which the header section was complete. */
  readonly arrivedAt = performance.now();
  headers: IncomingHttpHeaders;
  /** Names and values as sent, alternating. */
  rawHeaders: string[];
  /** Number of characters in {@link rawHeaders}. */
  readonly headerChars: number;
  /** The connection. Node's `session.socket` cannot be used any more when the session is closed. */
  readonly socket: Socket;
  /** Bytes of the body that have arrived. */
  bodyBytes = 0;
  #isBodyAborted = false;
  #onBodyAborted: (() => void) | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: string[],
    chars: number,
    socket: Socket,
  ) {
    super(stream);
    this.socket = socket;
    this.headers = headers;
    this.rawHeaders = rawHeaders;
    this.headerChars = chars;
  }

  /** Drops the headers, except those that the log and traces need. */
  dropHeaders(): void {
    const before = this.headers;
    this.headers = {};
    for (const name of neededHeaders) this.headers[name] = before[name];
    this.rawHeaders = [];
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

  /** Whether the body was read completely, or no more of it will arrive. */
  get complete(): boolean {
    const { stream } = this;
    return stream.readableEnded || stream.aborted || stream.destroyed;
  }

  /** Whether the end of the body will never arrive. Node's stream still ends as if the body were complete. */
  get isBodyAborted(): boolean {
    return this.#isBodyAborted;
  }

  /** Aborts the body, because its end will never arrive. */
  abortBody(): void {
    this.#isBodyAborted = true;
    this.#onBodyAborted?.();
  }

  /** @param listener called when the body is aborted; it replaces the previous listener */
  onBodyAborted(listener: (() => void) | undefined): void {
    this.#onBodyAborted = listener;
  }
}

/** The response to an {@link Http2Request}, with the part of node:http's interface that is used here. */
export class Http2Response extends StreamEvents implements Counted {
  readonly req: Http2Request;
  readonly #onThrow: ThrowHandler;
  counter: Counter | undefined;
  readonly record: RequestRecord;
  /** Whether the listener has accepted the request. */
  isAccepted = false;
  /** Bytes of the body that were handed to the stream. */
  bytesWritten = 0;
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
    this.bytesWritten += bytes;
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
          this.bytesWritten += data.length;
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
