import { IncomingMessage, type OutgoingHttpHeader, ServerResponse } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Counted, type Counter, countBy } from "./counted.ts";
import { GrowingBuffer } from "./growing-buffer.ts";
import type { ThrowHandler } from "./node-http.ts";

/** Chunks of a body that are passed on as they come. Most bodies have one. */
const directChunks = 8;

/** Chunks that any body may come in, and the least average size of further ones, in bytes. */
const freeChunks = 4_096;
const minChunk = 64;

/** From this size on a chunk is passed on as it comes, in bytes. */
const largeChunk = 4 * 1024;

/** Joined chunks after which the connection is not read on until they are taken, in bytes. */
const maxJoined = 16 * 1024;

/**
 * A request of HTTP/1. An error that one of its listeners throws becomes the request's own error.
 *
 * Small chunks of a body are joined: node makes an object and an event for each of them, so one read of a
 * socket with 11,000 chunks of one byte would take 20 ms and hold 2 MB.
 */
export class Http1Request extends IncomingMessage {
  /** When the header section had arrived: node's parser makes the request then. */
  readonly arrivedAt = performance.now();
  /** Set when the request is accepted. */
  response: Http1Response | undefined;
  #chunks = 0;
  #bytes = 0;
  #isRefused = false;
  /** Chunks of this event-loop iteration that were not passed on yet. */
  #joined: GrowingBuffer | undefined;

  /** Called by node's parser with each chunk, and with null at the end. */
  // biome-ignore lint/suspicious/noExplicitAny: as node declares it.
  override push(chunk: any, encoding?: BufferEncoding): boolean {
    this.#chunks += 1;
    this.#bytes += chunk?.length ?? 0;
    if (this.#chunks > freeChunks + this.#bytes / minChunk) this.#refuse();
    if (chunk === null || this.#chunks <= directChunks || chunk.length >= largeChunk) {
      if (this.#joined) this.#passOn();
      return super.push(chunk, encoding);
    }
    if (!this.#joined) {
      this.#joined = new GrowingBuffer();
      setImmediate(passOnJoined, this);
    }
    this.#joined.append(chunk);
    return this.#joined.length < maxJoined;
  }

  /** Refuses a body that costs far more than its size suggests, and parses no more of the connection. */
  #refuse(): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    const { response } = this;
    if (response && !response.headersSent) {
      response.setHeader("Connection", "close");
      response.fail(
        new ConnectError(
          `The request body comes in too many small chunks. Send at least ${minChunk} bytes in each.`,
          Code.InvalidArgument,
        ),
      );
    } else this.socket.destroySoon();
  }

  #passOn(): void {
    const joined = this.#joined?.take();
    this.#joined = undefined;
    if (joined && joined.length > 0 && !this.destroyed)
      super.push(Buffer.from(joined.buffer, joined.byteOffset, joined.length));
  }

  static passOn(request: Http1Request): void {
    request.#passOn();
  }

  // biome-ignore lint/suspicious/noExplicitAny: as node declares it.
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

const passOnJoined = Http1Request.passOn;

/**
 * The response of node:http, except that a header set before `writeHead` costs nothing extra. In node's own class,
 * one such header makes all headers of the response take a slower path.
 */
export class Http1Response extends ServerResponse<Http1Request> implements Counted {
  /** Handles what a listener throws; set when the request is accepted. */
  onThrow: ThrowHandler | undefined;
  counter: Counter | undefined;
  /** Names as sent, with their values, by name in lower case. */
  #fields: Record<string, readonly [name: string, value: OutgoingHttpHeader]> = {};

  // biome-ignore lint/suspicious/noExplicitAny: as node declares it.
  override emit(event: string | symbol, ...args: any[]): boolean {
    try {
      return super.emit(event, ...args);
    } catch (error) {
      this.fail(error);
      return true;
    }
  }

  /** Makes an error that a callback threw the error of this request. */
  fail(error: unknown): void {
    if (this.onThrow) this.onThrow(this.req, this, error);
    else this.req.socket.destroy();
  }

  // biome-ignore lint/suspicious/noExplicitAny: of all the forms that node takes, two are used here.
  override end(data?: any, encoding?: any): this {
    countBy(this, undefined);
    return super.end(data, encoding);
  }

  override setHeader(name: string, value: OutgoingHttpHeader): this {
    this.#fields[name.toLowerCase()] = [name, value];
    return this;
  }

  // biome-ignore lint/suspicious/noExplicitAny: what node's declaration says.
  override getHeader(name: string): any {
    return this.#fields[name.toLowerCase()]?.[1];
  }

  override hasHeader(name: string): boolean {
    return this.#fields[name.toLowerCase()] !== undefined;
  }

  override getHeaders(): Record<string, OutgoingHttpHeader> {
    return Object.fromEntries(
      Object.entries(this.#fields).map(([name, [, value]]) => [name, value] as const),
    );
  }

  override removeHeader(name: string): void {
    delete this.#fields[name.toLowerCase()];
  }

  // biome-ignore lint/suspicious/noExplicitAny: of all the forms that node takes, one is used here.
  override writeHead(status: number, fields?: any): this {
    const before = this.#fields;
    const all: OutgoingHttpHeader[] = [];
    for (const key in before) {
      const field = before[key];
      if (field && fields?.[key] === undefined) all.push(field[0], field[1]);
    }
    for (const name in fields) all.push(name, fields[name]);
    return super.writeHead(status, all as string[]);
  }
}
