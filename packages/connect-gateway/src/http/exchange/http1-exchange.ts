import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { IncomingHttpHeaders } from "node:http2";
import { TLSSocket } from "node:tls";
import { Code } from "@connectrpc/connect";
import { callError, type HeaderValues } from "../../call/call-error.ts";
import { type Connection, Exchange, type ResponseHeaders } from "./exchange.ts";
import { headerBytes, responseBytes } from "./unread.ts";

/** Number of chunks that every body may have, and the smallest average size of further chunks, in bytes. */
const freeChunks = 4_096;
const minChunk = 64;

export class Http1Exchange extends Exchange {
  readonly body: IncomingMessage;
  readonly response: ServerResponse;
  private chunks = 0;

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection) {
    super(connection, request.method, request.url, request.rawHeaders);
    this.body = request;
    this.response = response;
  }

  /** Refuses a body whose chunks cost far more than its size suggests, and closes the connection. */
  protected override received(bytes: number): void {
    super.received(bytes);
    this.chunks += 1;
    if (this.chunks <= freeChunks + this.bodyBytes / minChunk) return;
    if (this.headersSent) this.socket.destroySoon();
    else {
      this.setHeader("connection", "close");
      const message = `The request body has too many small chunks. Send at least ${minChunk} bytes in each chunk.`;
      this.fail(callError(message, Code.InvalidArgument));
    }
  }

  get httpVersion(): string {
    return this.body.httpVersion;
  }

  get headers(): IncomingHttpHeaders {
    return this.body.headers;
  }

  get complete(): boolean {
    return this.body.complete;
  }

  /** Node destroys a request whose end will never arrive, so its `close` event is enough. */
  get isBodyAborted(): boolean {
    return false;
  }

  protected get hasNoBody(): boolean {
    return this.headers["transfer-encoding"] === undefined;
  }

  get headersSent(): boolean {
    return this.response.headersSent;
  }

  get writableEnded(): boolean {
    return this.response.writableEnded;
  }

  get isLast(): boolean {
    return this.getHeader("connection") === "close";
  }

  get statusSent(): number | undefined {
    return this.headersSent ? this.response.statusCode : undefined;
  }

  get isComplete(): boolean {
    return this.response.writableFinished;
  }

  get destroyed(): boolean {
    return this.response.destroyed;
  }

  get isEncrypted(): boolean {
    return this.socket instanceof TLSSocket;
  }

  protected discardIncoming(maxBytes: number): void {
    const waitsForContinue = this.headers.expect !== undefined;
    const { declaredLength = 0 } = this;
    if (waitsForContinue || declaredLength > maxBytes) this.setHeader("connection", "close");
    else this.discard(maxBytes, () => this.socket.destroySoon());
  }

  timeOutBody(refuse: () => void): void {
    // After the response, node limits how long the rest of the request may take.
    if (this.complete || this.writableEnded) return;
    if (this.headersSent) this.destroy();
    else {
      this.setHeader("connection", "close");
      refuse();
    }
  }

  writeContinue(): void {
    const { response }: { response: ServerResponse & { _sent100?: boolean } } = this;
    // A server without a listener for `checkContinue` has sent it already.
    if (this.httpVersion !== "1.0" && !response._sent100) response.writeContinue();
  }

  writeHead(status: number, headers: ResponseHeaders): this {
    const { count } = this;
    this.addHeaders(headers);
    try {
      this.list.length = this.count;
      this.response.writeHead(status, STATUS_CODES[status], this.list);
    } catch (error) {
      this.count = count;
      throw error;
    }
    return this;
  }

  flushHead(): void {
    this.response.flushHeaders();
  }

  addTrailers(trailers: HeaderValues): void {
    this.response.addTrailers(trailers as OutgoingHttpHeaders);
  }

  override cork(): void {
    this.response.cork();
  }

  override uncork(): void {
    this.response.uncork();
  }

  write(piece: string | Uint8Array): boolean {
    if (this.writableEnded) return false;
    if (!this.headersSent) this.writeHead(200, {});
    this.sending(piece);
    return this.response.write(piece);
  }

  end(data?: string | Uint8Array, encoding: BufferEncoding = "utf8"): this {
    if (this.writableEnded) return this;
    const bytes = data === undefined ? 0 : this.sending(data, encoding);
    if (!this.headersSent) {
      this.writeHead(200, this.hasHeader("content-length") ? {} : { "content-length": bytes });
    }
    this.handOver();
    if (data === undefined) this.response.end();
    else this.response.end(data, encoding);
    return this;
  }

  destroy(): void {
    this.response.destroy();
  }

  protected get emitter(): ServerResponse {
    return this.response;
  }

  protected responseMemory(): number {
    // A response that waits for an earlier one keeps the headers of its request for as long as the client likes.
    const isWaiting = this.response.socket === null;
    return responseBytes + (isWaiting ? headerBytes(this.rawHeaders) : 0);
  }
}
