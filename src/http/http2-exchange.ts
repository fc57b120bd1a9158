import type { OutgoingHttpHeader } from "node:http";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Socket } from "node:net";
import { guardEmit } from "../call/guard.ts";
import { newRequestRecord, type RequestRecord } from "../call/request-record.ts";
import { type Counted, type Counter, countBy } from "./counted.ts";
import type { ThrowHandler } from "./node-http.ts";

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
  readonly rawHeaders: string[];
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
    socket: Socket,
  ) {
    super(stream);
    this.socket = socket;
    this.headers = headers;
    this.rawHeaders = rawHeaders;
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

  constructor(request: Http2Request, onThrow: ThrowHandler) {
    super(request.stream);
    this.req = request;
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
    this.bytesWritten += chunk.length;
    return this.stream.write(chunk);
  }

  /** @param encoding the encoding of a string */
  end(data?: string | Uint8Array, encoding: BufferEncoding = "utf8"): this {
    const { stream } = this;
    if (this.#isEnded) return this;
    countBy(this, undefined);
    if (!stream.closed) {
      const waitForTrailers = this.#trailers !== undefined;
      this.#respond({ waitForTrailers, endStream: data === undefined && !waitForTrailers });
      // A response without content, such as one to HEAD, has ended already.
      if (!stream.writableEnded) {
        if (data === undefined) stream.end();
        else {
          this.bytesWritten += data.length;
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
 */
export function http2Exchange(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: string[],
  socket: Socket,
  onThrow: ThrowHandler,
): { readonly request: Http2Request; readonly response: Http2Response } {
  const request = new Http2Request(stream, headers, rawHeaders, socket);
  const response = new Http2Response(request, onThrow);
  guardEmit(stream, (error) => response.fail(error));
  // A failed stream does not close by itself, and all code here waits for its `close` event.
  stream.on("error", () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  // Without this, the body of a stream that was reset would look complete.
  stream.on("aborted", () => request.abortBody());
  return { request, response };
}
