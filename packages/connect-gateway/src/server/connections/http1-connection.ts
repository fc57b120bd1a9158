import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { RequestRecord, settle } from "../../call/request-record.ts";
import type { ErrorResponse } from "../../http/error-response.ts";
import { Http1Exchange } from "../../http/exchange/http1-exchange.ts";
import type { Unread } from "../../http/exchange/unread.ts";
import { newRequestId, requestIdHeader, setRequestId } from "../../http/request-id.ts";
import { removeBodyHeaders, sendError, writtenError } from "../../http/send-error.ts";
import type { TickBudget } from "../../http/tick-budget.ts";
import { endRequest } from "../request-end.ts";
import { AcceptedConnection } from "./accepted-connection.ts";
import type { AgingConnection } from "./connection-age.ts";
import { Http1Pipeline } from "./http1-pipeline.ts";
import type { LingeringClose } from "./linger.ts";
import type { ListenerOptions } from "./listener-options.ts";
import { protocolErrors } from "./protocol-errors.ts";

export interface Http1Options extends ListenerOptions {
  readonly lingering: LingeringClose;
  /** Limits the pipelined requests that one event-loop tick begins. */
  readonly pipelined: TickBudget;
}

export class Http1Connection extends AcceptedConnection implements AgingConnection {
  /** The latest request; undefined when request and response are complete. */
  latest: Http1Exchange | undefined = undefined;
  readonly #options: Http1Options;
  readonly pipeline: Http1Pipeline;
  /** Whether the connection closes after the latest response. Further bytes of the client are ignored then. */
  #isEnding = false;
  /** Whether the connection closes after the next response, or the current ones. */
  #isRetiring = false;

  /** @param socket a connection that node's server has just taken over */
  constructor(socket: Socket, options: Http1Options, unread: Unread | undefined) {
    super(socket, options, unread);
    this.#options = options;
    this.pipeline = new Http1Pipeline(socket, options.pipelined, unread);
  }

  /** Serves a request, or refuses it and closes the connection after that. @param error why it is refused */
  receive(request: IncomingMessage, response: ServerResponse, error = faultOf(request)): void {
    if (this.#isEnding) return;
    const exchange = new Http1Exchange(request, response, this);
    setRequestId(exchange);
    if (this.latest?.isLast) {
      this.#end();
      return;
    }
    if (error) this.#end();
    if (error || this.#isRetiring || isLast(request)) exchange.setHeader("connection", "close");
    this.#options.onRequest?.(exchange);
    this.latest = exchange;
    this.pipeline.begun(request);
    response.on("close", () => {
      exchange.release();
      endRequest(exchange, this.#options.onRequestEnd);
      this.pipeline.ended();
      if (exchange.complete && this.latest === exchange) this.latest = undefined;
    });
    try {
      if (error) sendError(exchange, error);
      else this.#options.handle(exchange);
    } catch (fault) {
      this.onThrow(exchange, fault);
    }
  }

  /** Refuses a request that the parser has rejected, once: the parser repeats its error. @param read the bytes with the error */
  reject(error: ErrorResponse, read?: Buffer): void {
    if (this.#isEnding) return;
    this.#end();
    const headers = this.#options.rejectionHeaders?.(read && originIn(read)) ?? {};
    this.#sendAndClose({ ...error, headers: { ...headers, ...error.headers } });
  }

  /**
   * Sends the error of a rejected request after earlier responses, then closes the connection (RFC 9112, sections 9.3.2 and 9.6).
   * Sends nothing when the response to the rejected request has begun. If the body of the latest request is incomplete, it is the
   * rejected one; otherwise the next one is.
   */
  #sendAndClose(error: ErrorResponse): void {
    const { socket, latest } = this;
    const { lingering, onRequestEnd } = this.#options;
    const again = () => this.#sendAndClose(error);
    if (!socket.writable) return; // The connection closes already.
    if (latest === undefined || latest.destroyed) {
      const isSent = latest !== undefined && !latest.complete;
      if (isSent) {
        lingering.close(socket, "");
        return;
      }
      const requestId = newRequestId();
      const record = new RequestRecord(performance.now());
      settle(record, "http", error.status, error.reason);
      onRequestEnd?.(record, undefined, { peer: socket.remoteAddress, requestId });
      lingering.close(socket, rawResponse(error, requestId));
    } else if (latest.complete || latest.writableEnded) {
      latest.once("close", again);
    } else if (latest.response.socket === null) {
      latest.response.once("socket", again); // Earlier responses come first.
    } else if (latest.headersSent) {
      socket.destroy();
    } else {
      settle(latest.record, "http", error.status, error.reason);
      lingering.close(socket, rawResponse(error, newRequestId(), latest));
    }
  }

  #end(): void {
    this.#isEnding = true;
    this.pipeline.close();
  }

  retire(): void {
    this.#isRetiring = true;
    const { latest } = this;
    if (latest !== undefined && !latest.headersSent) latest.setHeader("connection", "close");
  }

  closeIfIdle(): void {
    if (this.latest !== undefined) return;
    this.#end(); // Otherwise the client could send a request just before the connection ends.
    this.socket.destroySoon();
  }

  close(): void {
    this.socket.destroy();
  }
}

function faultOf({ httpVersion, headers }: IncomingMessage): ErrorResponse | undefined {
  const isHttp10 = httpVersion === "1.0";
  if (!isHttp10 && httpVersion !== "1.1") return protocolErrors.version;
  if (!isHttp10 && headers.host === undefined) return protocolErrors.host;
  const coding = headers["transfer-encoding"];
  const isKnown = coding === undefined || coding.toLowerCase() === "chunked";
  return isKnown ? undefined : protocolErrors.transferCoding;
}

function isLast({ httpVersion, headers }: IncomingMessage): boolean {
  // Upgrade is ignored, but node drops the bytes that it has read together with such a request.
  if (headers.upgrade !== undefined) return true;
  // RFC 9112, section 6.1
  return httpVersion === "1.0" && headers["transfer-encoding"] !== undefined;
}

/** Returns the last Origin header in bytes of header sections; undefined when there is none. */
function originIn(read: Buffer): string | undefined {
  const lines = read.toString("latin1").matchAll(/\r\norigin:[ \t]*([^\r\n]*)/gi);
  return [...lines].at(-1)?.[1]?.trimEnd();
}

/** Returns an error response as it is sent. @param requestId used without a response @param response the one that it replaces */
function rawResponse(error: ErrorResponse, requestId: string, response?: Http1Exchange): string {
  const { body, headers } = writtenError(error);
  if (response !== undefined) removeBodyHeaders(response);
  const all = {
    [requestIdHeader]: requestId,
    ...response?.getHeaders(),
    ...headers,
    date: new Date().toUTCString(),
    connection: "close",
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    [value].flat().map((single) => `${name}: ${single}\r\n`),
  );
  const content = response?.method === "HEAD" ? "" : body;
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join("")}\r\n${content}`;
}
