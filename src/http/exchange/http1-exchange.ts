import { IncomingMessage, type OutgoingHttpHeader, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { TLSSocket } from "node:tls";
import { Code } from "@connectrpc/connect";
import { callError } from "../../call/call-error.ts";
import { memoize } from "../../call/memoize.ts";
import { newRequestRecord, type RequestRecord } from "../../call/request-record.ts";
import { type Counted, type Counter, countBy } from "../counted.ts";
import { discardHttp1 } from "./discard-body.ts";
import { GrowingBuffer } from "./growing-buffer.ts";
import type { ThrowHandler } from "./node-http.ts";
import { cutConnection } from "./reset-unless-sent.ts";
import { headerBytes, headerChars, responseBytes, type Unread } from "./unread.ts";

/** Number of chunks at the start of a body that are not joined. Most bodies have one chunk. */
const directChunks = 8;

/** Number of chunks that every body may have, and the smallest average size of further chunks, in bytes. */
const freeChunks = 4_096;
const minChunk = 64;

/** Smallest size of a chunk that is not joined with others, in bytes. */
const largeChunk = 4 * 1024;

/** Size of joined chunks at which the connection is paused until they are read, in bytes. */
const maxJoined = 16 * 1024;

/**
 * A request over HTTP/1. An error thrown by one of its listeners becomes the error of the request.
 *
 * Small chunks of a body are joined. Otherwise node would make an object and an event for each chunk: one read of a
 * socket with 11,000 chunks of one byte would take 20 ms and hold 2 MB.
 */
export class Http1Request extends IncomingMessage {
  /** The time at which the header section was complete. Node's parser creates the request then. */
  readonly arrivedAt = performance.now();
  /** Set when the request is accepted. */
  response: Http1Response | undefined;
  #chunks = 0;
  #bytes = 0;
  #isRefused = false;
  /** Joined chunks of this event-loop tick. */
  #joined: GrowingBuffer | undefined;

  /** Bytes of the body that have arrived. */
  get bodyBytes(): number {
    return this.#bytes;
  }

  /** The length of the body by the header section, in bytes; undefined when it is not known before the body ends. */
  get declaredLength(): number | undefined {
    const { "content-length": length, "transfer-encoding": coding } = this.headers;
    if (length !== undefined) return Number(length);
    return coding === undefined ? 0 : undefined;
  }

  /** The stream that yields the body. */
  get bodySource(): Readable {
    return this;
  }

  /** Identifies the connection of the request. */
  get transport(): object | undefined {
    return this.socket;
  }

  /** Node destroys a request whose end will never arrive, so its `close` event is enough. */
  get isBodyAborted(): boolean {
    return false;
  }

  onBodyAborted(): void {}

  /** Returns undefined, because the body arrives after the request has begun. */
  takeBody(): Uint8Array | undefined {
    return undefined;
  }

  /** Called by node's parser with each chunk, and with null at the end. */
  // biome-ignore lint/suspicious/noExplicitAny: node declares it so.
  override push(chunk: any, encoding?: BufferEncoding): boolean {
    this.#chunks += 1;
    this.#bytes += chunk?.length ?? 0;
    if (this.#chunks > freeChunks + this.#bytes / minChunk) this.#refuse();
    if (chunk === null || this.#chunks <= directChunks || chunk.length >= largeChunk) {
      if (this.#joined) this.#flush();
      return super.push(chunk, encoding);
    }
    if (!this.#joined) {
      this.#joined = new GrowingBuffer();
      setImmediate(flushJoined, this);
    }
    this.#joined.append(chunk);
    return this.#joined.length < maxJoined;
  }

  /** Refuses a body whose chunks cost far more than its size suggests, and closes the connection. */
  #refuse(): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    const { response } = this;
    if (response && !response.headersSent) {
      response.setHeader("Connection", "close");
      response.fail(
        callError(
          `The request body has too many small chunks. Send at least ${minChunk} bytes in each chunk.`,
          Code.InvalidArgument,
        ),
      );
    } else this.socket.destroySoon();
  }

  #flush(): void {
    const joined = this.#joined?.take();
    this.#joined = undefined;
    if (joined && joined.length > 0 && !this.destroyed)
      super.push(Buffer.from(joined.buffer, joined.byteOffset, joined.length));
  }

  static flush(request: Http1Request): void {
    request.#flush();
  }

  // biome-ignore lint/suspicious/noExplicitAny: node declares it so.
  override emit(event: string | symbol, ...args: any[]): boolean {
    try {
      return super.emit(event, ...args);
    } catch (error) {
      if (this.response) this.response.fail(error);
      else this.socket.destroy();
      return true;
    }
  }
}

const flushJoined = Http1Request.flush;

/** Node's part of writing a head: it adds Date, Connection and the framing of the body. */
const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as {
  _storeHeader(this: Http1Response, statusLine: string, headers: OutgoingHttpHeader[]): void;
};

/** Headers that node must see, because they decide how it frames the body, or how it writes the head. */
const ofNode =
  /^(?:connection|content-disposition|content-length|date|expect|keep-alive|trailer|transfer-encoding)$/;

/** A name (RFC 9110, section 5.1). */
const token = /^[\w!#$%&'*+.^`|~-]+$/;

/** A character that a value must not have (RFC 9110, section 5.5). */
const illegal = /[^\t\x20-\x7e\x80-\xff]/;

/** A header as the code names it: its name in lower case, and whether it can be written without node. */
interface HeaderName {
  readonly key: string;
  readonly isPlain: boolean;
}

const headerName = memoize((name: string): HeaderName => {
  const key = name.toLowerCase();
  return { key, isPlain: token.test(key) && !ofNode.test(key) };
}, 1_000);

/**
 * A response over HTTP/1. It differs from node's class in that headers are cheap. In node's class, one header that was
 * set before `writeHead` makes all headers of the response take a slower path, and each header is checked by several
 * functions. Here, most of the head is one string.
 */
export class Http1Response extends ServerResponse<Http1Request> implements Counted {
  /** Handles an error thrown by a listener. Set when the request is accepted. */
  onThrow: ThrowHandler | undefined;
  counter: Counter | undefined;
  /** Counts the memory that waits for the client. Set when the request is accepted. */
  unread: Unread | undefined;
  #held = 0;
  #isReleased = false;
  readonly record: RequestRecord = newRequestRecord(this.req.arrivedAt);
  #bodyBytes = 0;
  /** Names in lower case of headers, which have the same place in the next two. */
  readonly #keys: string[] = [];
  /** Names as sent. */
  readonly #names: string[] = [];
  readonly #values: OutgoingHttpHeader[] = [];
  /** The lines of the head that node does not write. */
  #lines = "";

  // biome-ignore lint/suspicious/noExplicitAny: node declares it so.
  override emit(event: string | symbol, ...args: any[]): boolean {
    try {
      return super.emit(event, ...args);
    } catch (error) {
      this.fail(error);
      return true;
    }
  }

  /** Whether a write fails because the client has cancelled the request. Over HTTP/1, `destroyed` says so. */
  get isReset(): boolean {
    return false;
  }

  /** The status that was sent; undefined while nothing was sent. */
  get statusSent(): number | undefined {
    return this.headersSent ? this.statusCode : undefined;
  }

  /** Whether the whole response was sent. */
  get isComplete(): boolean {
    return this.writableFinished;
  }

  /** Bytes of the body that were handed to node. A response to HEAD has none. */
  get bytesSent(): number {
    return this.req.method === "HEAD" ? 0 : this.#bodyBytes;
  }

  /** Whether writes are sent at once. A response may wait in memory for an earlier pipelined one. */
  get isNext(): boolean {
    return this.socket !== null;
  }

  /** Whether each write is copied even if the client does not read: encryption does so. */
  get isCopied(): boolean {
    return this.req.socket instanceof TLSSocket;
  }

  /** See `discard-body.ts`. */
  discardBody(maxBytes: number): void {
    discardHttp1(this, maxBytes);
  }

  /** Ends a request whose body takes too long. @param refuse sends the error */
  timeOutBody(refuse: () => void): void {
    // After the response, node limits how long the rest of the request may take.
    if (this.req.complete || this.writableEnded) return;
    if (this.headersSent) {
      this.destroy();
      return;
    }
    this.setHeader("Connection", "close");
    refuse();
  }

  /** See `reset-unless-sent.ts`. */
  resetUnlessSent(): void {
    cutConnection(this);
  }

  /** Makes an error thrown by a callback the error of this request. */
  fail(error: unknown): void {
    if (this.onThrow) this.onThrow(this.req, this, error);
    else this.req.socket.destroy();
  }

  // biome-ignore lint/suspicious/noExplicitAny: only two of node's overloads are used here.
  override write(chunk: any, encoding?: any): boolean {
    const length = byteLength(chunk, encoding);
    this.#bodyBytes += length;
    this.unread?.pass(length);
    return super.write(chunk, encoding);
  }

  // biome-ignore lint/suspicious/noExplicitAny: only two of node's overloads are used here.
  override end(data?: any, encoding?: any): this {
    const length = data === undefined ? 0 : byteLength(data, encoding);
    this.#bodyBytes += length;
    this.unread?.pass(length);
    this.handOver();
    return super.end(data, encoding);
  }

  /**
   * Stops counting the request as open, because node has its response. From now on, its memory is counted as unread.
   */
  handOver(): void {
    countBy(this, undefined);
    if (this.#held > 0 || this.#isReleased) return;
    const { rawHeaders, arrivedAt } = this.req;
    // A response that waits for an earlier one keeps the headers of its request for as long as the client likes.
    const headers = this.socket ? 0 : headerBytes(headerChars(rawHeaders), rawHeaders);
    this.#held = responseBytes + headers;
    this.unread?.hold(this.#held, arrivedAt);
  }

  /** Call it when the response is closed. What is handed over later is not counted. */
  release(): void {
    countBy(this, undefined);
    this.unread?.hold(-this.#held, this.req.arrivedAt);
    this.#held = 0;
    this.#isReleased = true;
  }

  override setHeader(name: string, value: OutgoingHttpHeader): this {
    const { key } = headerName(name);
    const known = this.#keys.indexOf(key);
    const at = known < 0 ? this.#keys.length : known;
    this.#keys[at] = key;
    this.#names[at] = name;
    this.#values[at] = value;
    return this;
  }

  // biome-ignore lint/suspicious/noExplicitAny: node declares it so.
  override getHeader(name: string): any {
    return this.#values[this.#keys.indexOf(headerName(name).key)];
  }

  override hasHeader(name: string): boolean {
    return this.#keys.includes(headerName(name).key);
  }

  override getHeaders(): Record<string, OutgoingHttpHeader> {
    return Object.fromEntries(
      this.#keys.map((key, at) => [key, this.#values[at] as OutgoingHttpHeader]),
    );
  }

  override removeHeader(name: string): void {
    const at = this.#keys.indexOf(headerName(name).key);
    if (at < 0) return;
    for (const list of [this.#keys, this.#names, this.#values]) list.splice(at, 1);
  }

  // biome-ignore lint/suspicious/noExplicitAny: only one of node's overloads is used here.
  override writeHead(status: number, headers?: any): this {
    const rest: OutgoingHttpHeader[] = [];
    this.#lines = "";
    const keys = this.#keys;
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at] as string;
      if (headers?.[key] === undefined) this.#write(this.#names[at] ?? key, this.#values[at], rest);
    }
    for (const name in headers) this.#write(name, headers[name], rest);
    return super.writeHead(status, rest as string[]);
  }

  /** @param rest gets a header that node must write, or whose error node must throw */
  #write(name: string, value: OutgoingHttpHeader | undefined, rest: OutgoingHttpHeader[]): void {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text === "string" && headerName(name).isPlain && !illegal.test(text)) {
      this.#lines += `${name}: ${text}\r\n`;
    } else rest.push(name, value as OutgoingHttpHeader);
  }

  /** Called by node's `writeHead`. */
  _storeHeader(statusLine: string, headers: OutgoingHttpHeader[]): void {
    storeHeader.call(this, statusLine + this.#lines, headers);
  }
}

/** Returns the size of a part of a body. A response to HEAD counts the body that it does not send. */
function byteLength(data: string | Uint8Array, encoding?: BufferEncoding): number {
  if (typeof data !== "string" || encoding === "latin1") return data.length;
  return Buffer.byteLength(data, encoding);
}
