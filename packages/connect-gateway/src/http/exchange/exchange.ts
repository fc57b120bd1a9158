import type { EventEmitter } from "node:events";
import type { IncomingHttpHeaders } from "node:http2";
import type { BlockList, Socket } from "node:net";
import type { Readable } from "node:stream";
import type { HeaderValues } from "../../call/call-error.ts";
import { RequestRecord } from "../../call/request-record.ts";
import type { Holder } from "../../call/shared-pool.ts";
import { empty, tight } from "./growing-buffer.ts";
import type { Unread } from "./unread.ts";

/** Most bytes of a body that are read and discarded, so that the connection can be used again. */
const maxDrainBytes = 256 * 1024;

/** The same for a body that a handler has begun to read. A streaming client does not expect to be reset. */
const maxRestBytes = 16 * maxDrainBytes;

/** Room for the headers of most responses: a list that grows as needed takes twice as much memory. */
const commonLength = 28;

/** The connection of a request. */
export interface Connection {
  readonly socket: Socket;
  /** The address of the client's end, which the socket does not know any more when it is closed. */
  readonly peer: string | undefined;
  /** Proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: BlockList;
  /** The address that the front door counts its requests for, once it is known; null if a proxy may serve many clients. */
  client?: string | null;
  /** Counts the memory that waits for the client. */
  readonly unread?: Unread | undefined;
  /** Makes an error thrown by a callback the error of its request. */
  readonly onThrow: ThrowHandler;
  received?(bytes: number): void;
}

/** Returns whether a header of an error does not replace what the response has: that would lose a cookie, or mislead caches. */
const isAdded = (name: string) => name === "set-cookie" || name === "vary";

/** Headers by name in lower case. */
export type ResponseHeaders = Readonly<Record<string, number | string | readonly string[]>>;

/** What happens to the response: it is closed, or the client has received all that was written. */
type ResponseEvent = "close" | "drain";

/**
 * A request over HTTP/1 or HTTP/2 and its response. Node's own response classes check and copy each header when it is
 * set. An exchange keeps a list of headers instead, and gives it to node once.
 *
 * Its fields are not private, because V8 takes twice as long to make objects with private fields.
 */
export abstract class Exchange {
  readonly connection: Connection;
  /** The time at which the header section was complete, on the clock of performance.now(). */
  readonly arrivedAt = performance.now();
  readonly record: RequestRecord = new RequestRecord(this.arrivedAt);
  counter: Holder | undefined = undefined;
  /** Ends when the response is closed or handed over; undefined while the gate does not decide on the request. */
  admission: { abandon(): void } | undefined = undefined;
  /** Bytes of the request body that were read. */
  bodyBytes = 0;
  /** Bytes of the response body that were handed to node. */
  bytesSent = 0;
  /** Names in lower case and values of the response, alternating. Further places are empty. */
  protected readonly list: string[] = new Array(commonLength);
  protected count = 0;
  /** Memory that waits for the client, in bytes: of the response without its body, and of its body. */
  private held = 0;
  private heldBody = 0;
  private isReleased = false;
  private isBodyCounted = false;

  readonly method: string | undefined;
  url: string | undefined;
  /** Names and values as sent, alternating. */
  rawHeaders: string[];

  constructor(
    connection: Connection,
    method: string | undefined,
    url: string | undefined,
    rawHeaders: string[],
  ) {
    this.connection = connection;
    this.method = method;
    this.url = url;
    this.rawHeaders = rawHeaders;
  }

  abstract readonly httpVersion: string;
  abstract readonly headers: IncomingHttpHeaders;
  abstract readonly body: Readable;
  /** Whether the end of the body has arrived, whether it was read or not. */
  abstract readonly complete: boolean;
  /** Whether the end of the body will never arrive. The stream may still end as if the body were complete. */
  abstract readonly isBodyAborted: boolean;
  /** Whether the request has no body by its header section. */
  protected abstract readonly hasNoBody: boolean;

  /** Whether the response has begun, so that its status cannot change. */
  abstract readonly headersSent: boolean;
  abstract readonly writableEnded: boolean;
  /** The status that was sent; undefined while nothing was sent. */
  abstract readonly statusSent: number | undefined;
  /** Whether the whole response was sent. */
  abstract readonly isComplete: boolean;
  /** Whether the client has disconnected or cancelled, or the response is closed. */
  abstract readonly destroyed: boolean;
  abstract readonly isEncrypted: boolean;

  /** Ends a request whose body takes too long. @param refuse sends the error */
  abstract timeOutBody(refuse: () => void): void;
  protected abstract discardIncoming(maxBytes: number): void;
  abstract writeContinue(): void;
  /** Sends status and headers; over HTTP/2, with the first piece of the body or with the end. */
  abstract writeHead(status: number, headers: ResponseHeaders): this;
  /** Sends status and headers after `writeHead`, before there is a piece of the body. */
  abstract flushHead(): void;
  /** Sets the trailers. Call it before `end`. @param trailers by name in lower case */
  abstract addTrailers(trailers: HeaderValues): void;
  /** @returns whether the client has received all bytes sent so far */
  abstract write(piece: string | Uint8Array): boolean;
  /** @param encoding the encoding of a string */
  abstract end(data?: string | Uint8Array, encoding?: BufferEncoding): this;
  /** Aborts the response, so that the client sees that it is incomplete. */
  abstract destroy(): void;
  protected abstract readonly emitter: EventEmitter;

  on(event: ResponseEvent, listener: () => void): void {
    this.emitter.on(event, listener);
  }

  once(event: ResponseEvent, listener: () => void): void {
    this.emitter.once(event, listener);
  }

  off(event: ResponseEvent, listener: () => void): void {
    this.emitter.off(event, listener);
  }

  /** Joins the writes that follow until {@link uncork}. An HTTP/2 session joins those of an event-loop tick already. */
  cork(): void {}
  uncork(): void {}

  get socket(): Socket {
    return this.connection.socket;
  }

  get unread(): Unread | undefined {
    return this.connection.unread;
  }

  /** The length of the body by the header section, in bytes; undefined when it is not known before the body ends. */
  get declaredLength(): number | undefined {
    const length = this.headers["content-length"];
    if (length !== undefined) return Number(length);
    return this.hasNoBody ? 0 : undefined;
  }

  /** Returns the body if all of it has arrived and nothing has begun to read it. */
  takeBody(): Uint8Array | undefined {
    const { body } = this;
    if (!this.complete || body.readableFlowing !== null || body.readableEnded) return undefined;
    // Without a length, it would return the first piece only.
    const data: Buffer | null = body.read(body.readableLength);
    body.read(0); // ends the stream
    if (!data) return empty;
    this.received(data.length);
    return tight(data);
  }

  /**
   * Discards a request body that no handler will read. Call it before the response is sent.
   *
   * Over HTTP/1.1 it reads and discards a short body. It closes the connection after a long body, and after one that waits for
   * 100 Continue (RFC 9110, section 10.1.1). Over HTTP/2 it resets the stream of a long body, and of one that does not end soon
   * after the response. The reset asks the client to send no more (RFC 9113, section 8.1).
   */
  discardBody(maxBytes = maxDrainBytes): void {
    if (this.declaredLength === 0) return;
    if (this.complete) this.body.resume();
    else this.discardIncoming(maxBytes);
  }

  /**
   * Discards the rest of a body whose reader may stop early. Otherwise a client that still sends would wait forever, and over
   * HTTP/1.1 the next call on its connection too.
   */
  discardRest(): void {
    if (!this.complete) this.discardBody(maxRestBytes);
  }

  /** Reads and discards the rest of a body. Calls `end` when it is longer than `maxBytes`. */
  protected discard(maxBytes: number, end: () => void): void {
    let left = maxBytes;
    this.countBody();
    this.body.on("data", (piece: Buffer) => {
      left -= piece.length;
      if (left < 0) end();
    });
    this.body.resume();
  }

  fail(error: unknown): void {
    this.connection.onThrow(this, error);
  }

  /** Counts the pieces of the body from now on. Call it before a listener of the body is added. */
  countBody(): void {
    if (this.isBodyCounted) return;
    this.isBodyCounted = true;
    this.body.on("data", (piece: Buffer) => this.received(piece.length));
  }

  /** Counts a piece of the body that was read. */
  protected received(bytes: number): void {
    this.bodyBytes += bytes;
    this.connection.received?.(bytes);
  }

  /** Sets a header of the response, or replaces it. */
  setHeader(name: Lowercase<string>, value: string | number): this {
    let at = this.indexOf(name);
    if (at >= 0 && isAdded(name)) {
      this.removeHeader(name);
      at = -1;
    }
    if (at < 0) {
      at = this.count;
      this.count += 2;
    }
    this.list[at] = name;
    this.list[at + 1] = typeof value === "number" ? String(value) : value;
    return this;
  }

  /** Returns a header of the response. */
  getHeader(name: Lowercase<string>): string | undefined {
    const at = this.indexOf(name);
    return at < 0 ? undefined : this.list[at + 1];
  }

  /** Returns the values of all headers of a name: several if they were set together, such as cookies. */
  valuesOf(name: Lowercase<string>): string[] {
    return this.list.filter(
      (_, at) => at % 2 === 1 && at < this.count && this.list[at - 1] === name,
    );
  }

  hasHeader(name: Lowercase<string>): boolean {
    return this.indexOf(name) >= 0;
  }

  removeHeader(name: Lowercase<string>): void {
    for (let at = this.indexOf(name); at >= 0; at = this.indexOf(name)) {
      this.list.splice(at, 2);
      this.count -= 2;
    }
  }

  /** Sets headers, which replace those of the same name. */
  setHeaders(headers: ResponseHeaders): void {
    for (const name in headers) {
      const key = name as Lowercase<string>;
      if (typeof headers[key] === "object") this.removeHeader(key);
      this.add(key, headers[key]);
    }
  }

  /** Sets headers as {@link setHeaders} does, but adds those that go with others of the same name: cookies, and Vary. */
  protected addHeaders(headers: ResponseHeaders): void {
    for (const name in headers) {
      const key = name as Lowercase<string>;
      const value = headers[key];
      this.add(key, typeof value === "string" && isAdded(key) ? [value] : value);
    }
  }

  /** Returns the headers that were set, by name in lower case. */
  getHeaders(): Record<string, string | string[]> {
    const found: Record<string, string | string[]> = {};
    for (let at = 0; at < this.count; at += 2) {
      const [name, value] = [this.list[at] as string, this.list[at + 1] as string];
      const before = found[name];
      found[name] = before === undefined ? value : [before, value].flat();
    }
    return found;
  }

  /** Sets a header; adds the values of a list to those that are there. */
  private add(name: Lowercase<string>, value: ResponseHeaders[string] = ""): void {
    if (typeof value !== "object") this.setHeader(name, value);
    else {
      for (const each of value) {
        this.list[this.count++] = name;
        this.list[this.count++] = each;
      }
    }
  }

  private indexOf(name: string): number {
    for (let at = 0; at < this.count; at += 2) if (this.list[at] === name) return at;
    return -1;
  }

  /** Stops counting the request as open, because node has its response. Its memory is counted as unread from now on. */
  handOver(): void {
    this.admission?.abandon();
    countBy(this, undefined);
    if (this.held === 0) this.hold(this.responseMemory(), this.heldBody);
  }

  /** Call it when the response is closed. What is handed over later is not counted. */
  release(): void {
    this.admission?.abandon();
    countBy(this, undefined);
    this.hold(0, 0);
    this.isReleased = true;
  }

  /** Returns the memory of a response that was handed over, in bytes, without its body. */
  protected abstract responseMemory(): number;

  private hold(bytes: number, bodyBytes: number): void {
    if (this.isReleased) return;
    const change = bytes + bodyBytes - this.held - this.heldBody;
    this.held = bytes;
    this.heldBody = bodyBytes;
    if (change !== 0) this.unread?.hold(change, this.arrivedAt);
  }

  /** Counts the part of the body that waits for the client. */
  protected holdBody(bytes: number): void {
    this.hold(this.held, bytes);
  }

  /** Counts bytes of the body that are handed to node. @returns their number */
  protected sending(data: string | Uint8Array, encoding?: BufferEncoding): number {
    const isText = typeof data === "string" && encoding !== "latin1";
    const bytes = isText ? Buffer.byteLength(data) : data.length;
    this.bytesSent += bytes;
    this.unread?.pass(bytes);
    return bytes;
  }
}

/** Responds to a request. */
export type Handler = (exchange: Exchange) => void | Promise<void>;

/** Makes an error thrown by a callback the error of its request. Never throws. */
export type ThrowHandler = (exchange: Exchange, error: unknown) => void;

/** Sends 100 Continue to a client that waits for it (RFC 9110, section 10.1.1). */
export function sendContinue(exchange: Exchange): void {
  if (exchange.headers.expect !== undefined) exchange.writeContinue();
}

/** Returns the address of the client's end of the connection. */
export function peerAddress({ connection }: Exchange): string | undefined {
  return connection.peer;
}

/** Returns the X-Forwarded-For header of a request. */
export function forwardedFor({ headers }: Exchange): string | undefined {
  const value = headers["x-forwarded-for"];
  return Array.isArray(value) ? value.join(",") : value;
}

/** Moves a response to a place of another owner; `undefined` gives its place back. @returns false when that owner gets none */
export function countBy(response: Pick<Exchange, "counter">, counter: Holder | undefined): boolean {
  response.counter?.leave();
  response.counter = undefined;
  if (!counter) return true;
  if (!counter.enter()) return false;
  response.counter = counter;
  return true;
}
