import type { IncomingMessage } from "node:http";
import { addressGroup } from "../../http/client-address.ts";
import type { Unread } from "../../http/exchange/unread.ts";
import type { TickBudget } from "../../http/tick-budget.ts";
import {
  bytesAfterPause,
  canParse,
  controlParser,
  type Feed,
  type Http1Socket,
  type ParserError,
  takeBytes,
} from "../node-internals/http1-parser.ts";

/** Open requests of a connection at which it is not parsed. Clients that pipeline rarely send more than a few ahead. */
export const maxPipelined = 8;

const headEnd = "\r\n\r\n";

const steps = 16;

/** The shortest request, without its final CRLF CRLF: `A * HTTP/1.1`. */
const minHeadBytes = 12;

/**
 * Limits the open requests of one HTTP/1 connection.
 *
 * Node parses all requests of a read at once: up to 64 KiB, which can be thousands of requests with all their objects.
 * Here, the parser stops after the header section of a second open request. From then on, this class gives the parser one
 * request at a time, as responses end. Until then, the parser reads from its handle directly, which is cheaper.
 *
 * A response that ends in the tick of its request would start the next one in the same tick, and a client that does not even read
 * could keep the process busy. So these requests share a budget for each tick, in which client addresses take turns.
 */
export class Http1Pipeline {
  readonly #socket: Http1Socket;
  readonly #budget: TickBudget;
  readonly #unread: Unread | undefined;
  #isDeferred = false;
  #hasTurn = false;
  /** Node's own listener for the connection's bytes, once this class has replaced it. */
  #feed: Feed | undefined;
  #unfinished = 0;
  /** The latest request; undefined once it is complete and has its response. */
  #latest: IncomingMessage | undefined;
  /** Bytes of the latest request's body that have not arrived yet, by its Content-Length. */
  #bodyLeft = 0;
  #unparsed: Buffer[] = [];
  #isFeeding = false;
  /** Whether the parser is still paused, by `onIncoming`. */
  #isResumeDue = false;
  #isClosed = false;

  /** @param socket a connection that node has just taken over @param unread counts the bytes that wait for earlier responses */
  constructor(socket: Http1Socket, budget: TickBudget, unread?: Unread) {
    this.#socket = socket;
    this.#budget = budget;
    this.#unread = unread;
    const mustPause = () => !this.#feed && (this.#unfinished > 1 || this.#isClosed);
    if (!controlParser(socket, mustPause)) this.#replaceFeed();
  }

  begun(request: IncomingMessage): void {
    this.#unfinished += 1;
    this.#latest = request;
    this.#bodyLeft = Number(request.headers["content-length"] ?? 0);
  }

  ended(): void {
    this.#unfinished -= 1;
    // Otherwise an idle connection would keep its last request in memory, with its response.
    if (this.#unfinished === 0 && this.#latest?.complete) this.#latest = undefined;
    if (this.#feed) this.#pump();
  }

  /** Stops parsing. Call it when the connection will close after the latest response. */
  close(): void {
    this.#isClosed = true;
    this.#discard();
  }

  /** Continues after the parser has stopped at the limit. @returns false when the error has another cause */
  takeOver(error: ParserError): boolean {
    const rest = bytesAfterPause(error);
    if (!this.#socket.parser || !rest) return false;
    if (this.#isClosed) return true;
    if (!this.#feed) this.#replaceFeed();
    this.#unparsed.unshift(rest);
    this.#count(rest);
    this.#isResumeDue = this.#feed !== undefined;
    this.#pump();
    return true;
  }

  #replaceFeed(): void {
    const socket = this.#socket;
    this.#feed = takeBytes(socket, (chunk) => {
      if (this.#isClosed) return;
      this.#unparsed.push(chunk);
      this.#count(chunk);
      this.#pump();
    });
    // Node resumes the connection when a request's body is read and when a response was written.
    socket.on("resume", () => this.#pump());
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
    const feedNext = () => {
      this.#isDeferred = false;
      this.#hasTurn = true;
      this.#pump();
      this.#hasTurn = false;
      return true;
    };
    this.#budget.defer(addressGroup(this.#socket.remoteAddress), feedNext, steps);
    return false;
  }

  /** Resumes the parser unless node waits for the client to read. In that case, a `resume` event follows. */
  #resumeParser(): void {
    const socket = this.#socket;
    if (!canParse(socket)) return;
    this.#isResumeDue = false;
    socket.parser?.resume();
    // An empty chunk completes a request without a body.
    this.#feed?.call(socket, Buffer.alloc(0));
  }

  get #canFeed(): boolean {
    if (this.#isResumeDue || !canParse(this.#socket)) return false;
    // The limit does not apply to the body of a request that has begun.
    return (this.#unfinished < maxPipelined && !this.#isClosed) || this.#isInBody;
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
