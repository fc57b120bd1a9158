import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { addressGroup } from "../../access/client-address.ts";
import type { Unread } from "../../http/exchange/unread.ts";
import type { TickBudget } from "../../http/tick-budget.ts";
import { handleOf } from "../node-internals/socket-handle.ts";

/**
 * Most open requests on one HTTP/1 connection. At this number, the server stops parsing the connection. Clients that
 * pipeline rarely send more than a few requests ahead.
 */
export const maxPipelined = 8;

/** The return value with which a callback pauses llhttp: HPE_PAUSED. */
const paused = 21;

const headEnd = "\r\n\r\n";

/** A request line of RTSP (RFC 2326) or ICE (Icecast). llhttp parses both as if they were HTTP. */
const otherRequestLine = /^[A-Z-]+ +[^ \r\n]+ +(?:RTSP|ICE)\/[0-9.]+\r$/m;

/** The same at the beginning of a connection, after any empty lines. */
const otherFirstLine = /^[\r\n]*[A-Z-]+ +[^ \r\n]+ +(?:RTSP|ICE)\/[0-9.]+\r\n/;

/** The work of a pipelined request, in units of a short request. */
const steps = 16;

/** The shortest request, without its final CRLF CRLF: `A * HTTP/1.1`. */
const minHeadBytes = 12;

/** The parts of node's HTTP/1 parser that are used here. Node does not document them. */
interface Parser {
  onIncoming?: (request: IncomingMessage & { upgrade?: boolean }, keepAlive: boolean) => number;
  resume(): void;
  /** Returns a copy of the bytes that are being parsed. */
  getCurrentBuffer(): Buffer;
  /** Parses bytes. Returns the number of bytes parsed, or an error. */
  execute(bytes: Buffer): unknown;
  readonly socket: Socket | null;
  /** Called when the parser has parsed bytes that it has read itself, with the same result as `execute`. */
  [onExecute: number]: ((result: unknown) => void) | null;
}

/** A connection of node's HTTP/1 server. */
interface ServerSocket extends Socket {
  /** Null when node is done with the connection. */
  readonly parser?: Parser | null;
  /** Whether node itself has paused the connection because the client does not read its responses. */
  readonly _paused?: boolean;
}

type Feed = (this: Socket, chunk: Buffer) => void;

/** An error of node's parser, as in a `clientError` event. */
interface ParserError extends Error {
  readonly code?: unknown;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** The pipelines of sockets. */
const pipelines = new WeakMap<Socket, Http1Pipeline>();

/** Replaces `execute` of a parser for good. Node gives the parser to other sockets later, even to those of clients. */
function executeAndReport(this: Parser, bytes: Buffer): unknown {
  const result = Object.getPrototypeOf(this).execute.call(this, bytes);
  if (this.socket) pipelines.get(this.socket)?.parsed(bytes, result);
  return result;
}

/**
 * Limits the open requests of one HTTP/1 connection, and keeps what follows a request with `Upgrade`.
 *
 * Without this class, node parses all requests of a read at once: up to 64 KiB, which can be thousands of requests with
 * all their objects. Here, the parser stops after the header section of the request that reaches the limit. From then
 * on, this class gives the parser one request at a time, as responses end. Until a connection reaches the limit, the
 * parser reads from its handle directly, which is cheaper.
 *
 * Node ignores `Upgrade`, but llhttp stops after such a request, and node drops the rest of the read. So this class
 * takes it back, and gives the parser one request at a time from then on.
 *
 * A response that ends in the tick of its request would start the next request in the same tick. So a client that does
 * not even read could keep the process busy for seconds. Therefore these requests share a budget for each tick, in
 * which client addresses take turns.
 */
export class Http1Pipeline {
  readonly #socket: ServerSocket;
  readonly #onMalformed: () => void;
  readonly #budget: TickBudget;
  readonly #unread: Unread | undefined;
  /** Whether the next request waits for a later tick. */
  #isDeferred = false;
  /** Whether the turn of the next request has come. */
  #hasTurn = false;
  /** Node's own listener for the connection's bytes, once this class has replaced it. */
  #feed: Feed | undefined;
  #unfinished = 0;
  #requests = 0;
  #latest: IncomingMessage | undefined;
  /** Bytes of the latest request's body that have not arrived yet, by its Content-Length. */
  #bodyLeft = 0;
  /** Bytes that were received but not parsed yet. */
  #unparsed: Buffer[] = [];
  #isFeeding = false;
  /** Whether the parser is still paused, by `onIncoming`. */
  #isResumeDue = false;
  #isClosed = false;
  /** What became of the `Upgrade` of the latest request. It is "ended" until the next header section is parsed. */
  #upgrade: "none" | "ignored" | "ended" = "none";

  /**
   * @param socket a connection that node's HTTP/1 server has just taken over
   * @param onMalformed called when node does not report that a request is malformed
   * @param budget limits the pipelined requests that one event-loop tick begins, on all connections together
   * @param unread counts the bytes that wait for earlier responses
   */
  constructor(socket: ServerSocket, onMalformed: () => void, budget: TickBudget, unread?: Unread) {
    this.#socket = socket;
    this.#onMalformed = onMalformed;
    this.#budget = budget;
    this.#unread = unread;
    const { parser } = socket;
    const onIncoming = parser?.onIncoming;
    if (!parser || !onIncoming) {
      this.#replaceFeed();
      return;
    }
    pipelines.set(socket, this);
    parser.execute = executeAndReport;
    parser.onIncoming = (request, keepAlive) => {
      const { upgrade } = request;
      const result = onIncoming(request, keepAlive);
      const isIgnored = upgrade === true && !request.upgrade;
      this.#upgrade = isIgnored ? "ignored" : "none";
      if (this.#feed || request.upgrade) return result;
      if (isIgnored) this.#takeOverAfterRead(parser);
      else if (this.#unfinished > 1 || this.#isClosed) return paused;
      return result;
    };
  }

  /** Calls `parsed` after the current read, if the parser has read it from its handle. */
  #takeOverAfterRead(parser: Parser): void {
    const { kOnExecute } = parser.constructor as unknown as { kOnExecute: number };
    const onExecute = parser[kOnExecute] ?? null;
    parser[kOnExecute] = (result) => {
      parser[kOnExecute] = onExecute;
      const bytes = parser.getCurrentBuffer();
      onExecute?.(result);
      this.parsed(bytes, result);
    };
  }

  /**
   * Takes back what the parser has left. Called after the parser was given bytes.
   *
   * @param parsed the number of bytes that the parser has read, or an error, which node reports
   */
  parsed(bytes: Buffer, parsed: unknown): void {
    if (this.#upgrade === "none" || this.#isClosed || typeof parsed !== "number") return;
    if (this.#feed === undefined) {
      this.#replaceFeed();
      this.#socket.pause().resume(); // So that a `resume` event follows the current event.
    }
    if (this.#upgrade === "ignored" && this.#latest?.complete) {
      this.#upgrade = "ended";
      if (parsed < bytes.length) this.#putBack(bytes.subarray(parsed));
    } else if (parsed !== bytes.length) {
      // Until the next header section is parsed, node takes errors for the end of the HTTP/1 part of the connection.
      this.#onMalformed();
    }
  }

  get #isFull(): boolean {
    return this.#unfinished >= maxPipelined || this.#isClosed;
  }

  /** Call it when the header section of a request was parsed. */
  begun(request: IncomingMessage): void {
    this.#unfinished += 1;
    this.#requests += 1;
    this.#latest = request;
    this.#bodyLeft = Number(request.headers["content-length"] ?? 0);
  }

  /**
   * Returns whether the latest request is HTTP/1.0 or HTTP/1.1. Call it while the request is parsed.
   *
   * Node does not report the name of the protocol, so this method looks for it in the bytes of the current read. That
   * takes 1 µs, so it looks only at the first request of a connection, and at version 1.0, which RTSP has. The line of
   * the first request begins the first read. Such a line in its body must not count.
   */
  isHttp1({ httpVersion }: IncomingMessage): boolean {
    if (httpVersion === "1.1" && this.#requests > 1) return true;
    if (httpVersion !== "1.1" && httpVersion !== "1.0") return false;
    const bytes = this.#socket.parser?.getCurrentBuffer();
    const otherLine = this.#requests > 1 ? otherRequestLine : otherFirstLine;
    return bytes === undefined || !otherLine.test(bytes.toString("latin1"));
  }

  /** Call it when a response is closed. */
  ended(): void {
    this.#unfinished -= 1;
    if (this.#feed) this.#pump();
  }

  /** Stops parsing. Call it when the connection will close after the latest response. */
  close(): void {
    this.#isClosed = true;
    this.#discard();
  }

  /**
   * Continues after the parser has stopped at the limit, or at a request with `Upgrade`.
   *
   * @returns false when the error has another cause
   */
  takeOver({ code, rawPacket, bytesParsed }: ParserError): boolean {
    const { parser } = this.#socket;
    if (code !== "HPE_PAUSED" || !parser || !rawPacket) return false;
    if (this.#isClosed) return true;
    const feed = this.#feed ?? this.#replaceFeed();
    this.#putBack(Buffer.from(rawPacket.subarray(bytesParsed)));
    this.#isResumeDue = feed !== undefined;
    this.#pump();
    return true;
  }

  #replaceFeed(): Feed | undefined {
    const socket = this.#socket;
    const [feed] = socket.listeners("data") as Feed[];
    this.#feed = feed;
    // With this listener, node's parser no longer reads from the handle directly.
    socket.on("data", (chunk: Buffer) => {
      if (this.#isClosed) return;
      this.#keep(chunk);
      this.#pump();
    });
    // Node resumes the connection when a request's body is read and when a response was written.
    socket.on("resume", () => this.#pump());
    if (feed) socket.off("data", feed);
    // A paused parser has stopped the handle, and node has just removed its listener that would start it again.
    const handle = handleOf(socket);
    if (handle && !handle.reading) {
      handle.reading = true;
      handle.readStart();
    }
    return feed;
  }

  #keep(chunk: Buffer): void {
    this.#unparsed.push(chunk);
    this.#count(chunk);
  }

  /** Puts bytes that the parser has left before the others. */
  #putBack(chunk: Buffer): void {
    this.#unparsed.unshift(chunk);
    this.#count(chunk);
  }

  #count(chunk: Buffer): void {
    this.#unread?.hold(chunk.length, performance.now());
    // While this class does not read, the kernel holds what the client sends.
    this.#unread?.pass(chunk.length);
  }

  #discard(): void {
    for (const chunk of this.#unparsed) this.#unread?.hold(-chunk.length, performance.now());
    this.#unparsed = [];
  }

  #pump(): void {
    const socket = this.#socket;
    if (this.#isFeeding || this.#isDeferred) return;
    this.#isFeeding = true;
    try {
      if (this.#isResumeDue) this.#resumeParser();
      if (this.#canFeed) socket.resume();
      while (this.#unparsed.length > 0 && this.#canFeed && !socket.isPaused()) {
        if (!this.#isInBody && !this.#takeTurn()) break;
        this.#feed?.call(socket, this.#nextPiece());
        if (this.#isResumeDue) this.#resumeParser();
      }
    } finally {
      this.#isFeeding = false;
    }
    if (!socket.parser) this.#discard();
    if (this.#unparsed.length > 0) socket.pause();
  }

  /** @returns false when the next request must wait. In that case, it begins in a later tick */
  #takeTurn(): boolean {
    if (this.#hasTurn) {
      this.#hasTurn = false;
      return true;
    }
    if (!this.#budget.hasDeferred && this.#budget.take(steps)) return true;
    this.#isDeferred = true;
    const { remoteAddress = "" } = this.#socket;
    this.#budget.defer(addressGroup(remoteAddress), () => this.#feedNext(), steps);
    return false;
  }

  /** Begins the next request, whose turn has come. */
  #feedNext(): boolean {
    this.#isDeferred = false;
    this.#hasTurn = true;
    this.#pump();
    this.#hasTurn = false;
    return true;
  }

  /** Resumes the parser unless node waits for the client to read. In that case, a `resume` event follows. */
  #resumeParser(): void {
    const { parser, destroyed, _paused } = this.#socket;
    if (!parser || destroyed || _paused) return;
    this.#isResumeDue = false;
    parser.resume();
    // An empty chunk completes a request without a body.
    this.#feed?.call(this.#socket, Buffer.alloc(0));
  }

  get #canFeed(): boolean {
    const { parser, destroyed, _paused } = this.#socket;
    if (!parser || destroyed || _paused || this.#isResumeDue) return false;
    // The limit does not apply to the body of a request that has begun.
    return !this.#isFull || this.#isInBody;
  }

  get #isInBody(): boolean {
    return this.#latest?.complete === false;
  }

  /** Removes the bytes up to the end of a header section or body, if it can be found. */
  #nextPiece(): Buffer {
    const chunk = this.#unparsed[0] ?? Buffer.alloc(0);
    const isInBody = this.#isInBody;
    let end: number;
    if (isInBody && this.#bodyLeft > 0) {
      end = Math.min(this.#bodyLeft, chunk.length);
      this.#bodyLeft -= end;
    } else {
      // A chunked body ends with an empty line, too.
      const found = chunk.indexOf(headEnd, isInBody ? 0 : minHeadBytes, "latin1");
      end = found < 0 ? chunk.length : found + headEnd.length;
    }
    if (end === chunk.length) this.#unparsed.shift();
    else this.#unparsed[0] = chunk.subarray(end);
    this.#unread?.hold(-end, performance.now());
    return chunk.subarray(0, end);
  }
}
