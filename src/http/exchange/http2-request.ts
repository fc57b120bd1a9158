import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { hasWholeBody, takeWholeBody } from "../../server/node-internals/http2-session.ts";
import { tight } from "./growing-buffer.ts";
import type { Unread } from "./unread.ts";

// biome-ignore lint/suspicious/noExplicitAny: node declares listeners so.
type Listener = (...args: any[]) => void;

/** Bytes of a body that may arrive ahead of its handler without being counted. Nearly all bodies are shorter. */
const freeBodyBytes = 4 * 1024;

/** Registers listeners on a stream. Requests and responses emit no events of their own. */
export class StreamEvents {
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
  /** Bytes of the body that have arrived. Its beginning can have arrived together with the headers. */
  bodyBytes: number;
  readonly #unread: Unread | undefined;
  /** Memory of the body that nothing has read yet, in bytes; undefined before it is counted. */
  #heldBody: number | undefined;
  #isBodyAborted = false;
  #onBodyAborted: (() => void) | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: string[],
    chars: number,
    socket: Socket,
    unread: Unread | undefined,
  ) {
    super(stream);
    this.socket = socket;
    this.headers = headers;
    this.rawHeaders = rawHeaders;
    this.headerChars = chars;
    this.bodyBytes = stream.readableLength;
    this.#unread = unread;
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
    // Node ends the stream only one step after its last byte was read.
    const isRead = hasWholeBody(stream) && stream.readableLength === 0;
    return isRead || stream.aborted || stream.destroyed;
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

  /** Whether the end of the body will never arrive. Node's stream still ends as if the body were complete. */
  get isBodyAborted(): boolean {
    return this.#isBodyAborted;
  }

  /** Returns the body if all of it has arrived and nothing has read it. */
  takeBody(): Uint8Array | undefined {
    const body = this.#isBodyAborted ? undefined : takeWholeBody(this.stream);
    if (!body) return undefined;
    // The stream does not resume when its body is taken.
    if (this.#heldBody !== undefined) this.#hold(0);
    return tight(body);
  }

  /** Counts a piece of the body that has arrived, and the memory of what nothing has read yet. */
  received(bytes: number): void {
    this.bodyBytes += bytes;
    const { stream } = this;
    const { readableLength } = stream;
    if (this.#heldBody === undefined) {
      if (readableLength <= freeBodyBytes) return;
      this.#heldBody = 0;
      stream.on("resume", () => this.#hold(0)).on("close", () => this.#hold(0));
    }
    this.#hold(readableLength);
  }

  #hold(bytes: number): void {
    this.#unread?.hold(bytes - (this.#heldBody ?? 0), this.arrivedAt);
    this.#heldBody = bytes;
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
