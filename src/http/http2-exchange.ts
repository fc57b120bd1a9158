import type { OutgoingHttpHeader } from "node:http";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import { guardEmit } from "../call/guard.ts";
import { type Counted, type Counter, countBy } from "./counted.ts";
import type { ThrowHandler } from "./node-http.ts";

// biome-ignore lint/suspicious/noExplicitAny: as node declares listeners.
type Listener = (...args: any[]) => void;

/** What a stream tells, told in its name: a request and a response emit nothing of their own. */
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
 * A request of HTTP/2, in the words of node:http, as far as they are used here. node has such a class
 * too, which is a stream beside the stream, and costs as much as the stream itself.
 */
export class Http2Request extends StreamEvents {
  readonly httpVersion = "2.0";
  readonly httpVersionMajor = 2;
  /** When the header section had arrived. */
  readonly arrivedAt = performance.now();
  readonly headers: IncomingHttpHeaders;
  /** Names and values as they were sent, in turns. */
  readonly rawHeaders: string[];
  #isCut = false;
  #onCut: (() => void) | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: string[]) {
    super(stream);
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

  /** Whether all of the body was read, or none of it is to come any more. */
  get complete(): boolean {
    const { stream } = this;
    return stream.readableEnded || stream.aborted || stream.destroyed;
  }

  /** Whether the body will never be whole. What there is of it ends like a whole one, all the same. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Says that the body will never be whole. */
  cut(): void {
    this.#isCut = true;
    this.#onCut?.();
  }

  /** @param told when the body is cut; takes the place of whoever was to be told before */
  whenCut(told: (() => void) | undefined): void {
    this.#onCut = told;
  }
}

/** The answer to an {@link Http2Request}, likewise. */
export class Http2Response extends StreamEvents implements Counted {
  readonly req: Http2Request;
  readonly #onThrow: ThrowHandler;
  counter: Counter | undefined;
  /** Bytes of the body that were handed to the stream. */
  bytesWritten = 0;
  /** Neighbors in the list of open streams. */
  previous: Http2Response | undefined;
  next: Http2Response | undefined;
  statusCode = 200;
  #fields: Record<string, OutgoingHttpHeader> = {};
  #trailers: Readonly<Record<string, string>> | undefined;
  #isBegun = false;
  #isEnded = false;

  constructor(request: Http2Request, onThrow: ThrowHandler) {
    super(request.stream);
    this.req = request;
    this.#onThrow = onThrow;
  }

  /** Makes an error that a callback threw the error of this request. */
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
    this.#fields[name.toLowerCase()] = value;
    return this;
  }

  getHeader(name: string): OutgoingHttpHeader | undefined {
    return this.#fields[name.toLowerCase()];
  }

  hasHeader(name: string): boolean {
    return this.getHeader(name) !== undefined;
  }

  removeHeader(name: string): void {
    delete this.#fields[name.toLowerCase()];
  }

  /** Fields that were set, by name in lower case. */
  getHeaders(): Readonly<Record<string, OutgoingHttpHeader>> {
    return this.#fields;
  }

  /**
   * What is sent with the first piece of the body, or with the end: so an answer without one is one frame.
   * An answer that could not be sent is forgotten, with its trailers.
   */
  writeHead(status: number, fields: Readonly<Record<string, number | string>>): this {
    this.statusCode = status;
    Object.assign(this.#fields, fields);
    this.#trailers = undefined;
    this.#isBegun = true;
    return this;
  }

  /** @param trailers by name in lower case; to be called before the end */
  addTrailers(trailers: Readonly<Record<string, string>>): void {
    this.#trailers = trailers;
  }

  writeContinue(): void {
    const { stream } = this;
    if (!stream.headersSent && !stream.closed) {
      stream.additionalHeaders({ ":status": constants.HTTP_STATUS_CONTINUE });
    }
  }

  /** @returns whether the client has taken what was sent so far */
  write(chunk: string | Uint8Array): boolean {
    if (this.stream.closed || this.stream.writableEnded) return false;
    // Waiting for trailers holds back the frame that ends the answer, so that a reset can overtake it.
    this.#respond({ waitForTrailers: true });
    this.bytesWritten += chunk.length;
    return this.stream.write(chunk);
  }

  /** @param encoding of data that is a text */
  end(data?: string | Uint8Array, encoding: BufferEncoding = "utf8"): this {
    const { stream } = this;
    if (this.#isEnded) return this;
    countBy(this, undefined);
    if (!stream.closed) {
      const waitForTrailers = this.#trailers !== undefined;
      this.#respond({ waitForTrailers, endStream: data === undefined && !waitForTrailers });
      // Over already for an answer without content, as one to HEAD is.
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

  /** Ends the answer so that the client sees that it is not whole. */
  destroy(): this {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return this;
  }

  #respond(options: { readonly waitForTrailers: boolean; readonly endStream?: boolean }): void {
    const { stream } = this;
    if (stream.headersSent) return;
    this.#fields[":status"] = this.statusCode;
    if (options.waitForTrailers) {
      stream.on("wantTrailers", () => stream.sendTrailers(this.#trailers ?? {}));
    }
    try {
      stream.respond(this.#fields, options);
      this.#isBegun = true;
    } catch (error) {
      this.#isBegun = false;
      throw error;
    }
  }
}

/**
 * Request and response of a stream, as its `stream` event brings it. An error that a listener of the stream
 * throws becomes the request's own error.
 *
 * @param rawHeaders names and values as they were sent, in turns
 */
export function http2Exchange(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: string[],
  onThrow: ThrowHandler,
): { readonly request: Http2Request; readonly response: Http2Response } {
  const request = new Http2Request(stream, headers, rawHeaders);
  const response = new Http2Response(request, onThrow);
  guardEmit(stream, (error) => response.fail(error));
  // A stream that has failed would never end by itself; 'close' is what everything here waits for.
  stream.on("error", () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  // Left alone, a stream that was reset ends as if its body had come to its end.
  stream.on("aborted", () => request.cut());
  return { request, response };
}
