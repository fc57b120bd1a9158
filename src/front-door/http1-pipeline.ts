import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Most requests under way on one HTTP/1 connection. At this number, the server parses nothing more of the connection.
 * Clients that pipeline rarely send more than a few requests ahead.
 */
export const maxPipelined = 8;

/** The return value with which a callback pauses llhttp: HPE_PAUSED. */
const paused = 21;

const headEnd = "\r\n\r\n";

/** Shortest request, less its final CRLF CRLF: `A * HTTP/1.1`. */
const minHeadBytes = 12;

/** The parts of node's HTTP/1 parser that are used here. node does not document them. */
interface Parser {
  onIncoming?: (request: IncomingMessage & { upgrade?: boolean }, keepAlive: boolean) => number;
  resume(): void;
}

/** A connection as node's HTTP/1 server leaves it. */
interface ServerSocket extends Socket {
  /** Null when node is done with the connection. */
  readonly parser?: Parser | null;
  /** Whether node itself holds the connection back, because responses pile up. */
  readonly _paused?: boolean;
}

type Feed = (this: Socket, chunk: Buffer) => void;

/** An error of node's parser, as `clientError` brings it. */
interface ParserError extends Error {
  readonly code?: unknown;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/**
 * Bounds the requests under way on one HTTP/1 connection.
 *
 * Without this class node parses all requests of a read at once: up to 64 KiB, thousands of requests, each with its
 * objects. Here the parser stops after the header section of the request that reaches the bound. From then on
 * the connection's bytes are given to the parser by this class, request by request, as responses end.
 * Connections that never reach the bound are read by the parser directly, which is cheaper.
 */
export class Http1Pipeline {
  readonly #socket: ServerSocket;
  /** node's own listener for the connection's bytes, once this class has replaced it. */
  #feed: Feed | undefined;
  #unfinished = 0;
  #latest: IncomingMessage | undefined;
  /** Bytes of the latest request's body that are still to come, where its Content-Length says so. */
  #bodyLeft = 0;
  /** Bytes that were received and not parsed yet. */
  #unparsed: Buffer[] = [];
  #isFeeding = false;
  /** Whether the parser is still paused at the bound. */
  #isResumeDue = false;
  #isClosed = false;

  /** @param socket a connection that node's HTTP/1 server has just taken over */
  constructor(socket: ServerSocket) {
    this.#socket = socket;
    const { parser } = socket;
    const onIncoming = parser?.onIncoming;
    if (!parser || !onIncoming) {
      this.#replaceFeed();
      return;
    }
    parser.onIncoming = (request, keepAlive) => {
      const result = onIncoming(request, keepAlive);
      return this.#feed === undefined && this.#isFull && !request.upgrade ? paused : result;
    };
  }

  get #isFull(): boolean {
    return this.#unfinished >= maxPipelined || this.#isClosed;
  }

  /** To be called when a request's header section was parsed. */
  begun(request: IncomingMessage): void {
    this.#unfinished += 1;
    this.#latest = request;
    this.#bodyLeft = Number(request.headers["content-length"] ?? 0);
  }

  /** To be called when a response is over. */
  ended(): void {
    this.#unfinished -= 1;
    if (this.#feed) this.#pump();
  }

  /** Parses no further request: the last response of the connection is decided. */
  close(): void {
    this.#isClosed = true;
    this.#unparsed = [];
  }

  /**
   * Continues after the parser has stopped at the bound.
   *
   * @returns false when the error has another cause
   */
  takeOver({ code, rawPacket, bytesParsed }: ParserError): boolean {
    const { parser } = this.#socket;
    if (code !== "HPE_PAUSED" || !parser || !rawPacket) return false;
    // The second pause: the connection is closed, and further bytes of the client are ignored.
    if (this.#feed || this.#isClosed) return true;
    const feed = this.#replaceFeed();
    this.#unparsed.push(Buffer.from(rawPacket.subarray(bytesParsed)));
    this.#isResumeDue = feed !== undefined;
    this.#pump();
    return true;
  }

  #replaceFeed(): Feed | undefined {
    const socket = this.#socket;
    const [feed] = socket.listeners("data") as Feed[];
    this.#feed = feed;
    // node stops reading past the stream's events as soon as there is such a listener.
    socket.on("data", (chunk: Buffer) => {
      if (this.#isClosed) return;
      this.#unparsed.push(chunk);
      this.#pump();
    });
    // node resumes the connection whenever a request's body is read, or a response was written.
    socket.on("resume", () => this.#pump());
    if (feed) socket.off("data", feed);
    return feed;
  }

  #pump(): void {
    const socket = this.#socket;
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    try {
      if (this.#isResumeDue) this.#resumeParser();
      if (this.#canFeed) socket.resume();
      while (this.#unparsed.length > 0 && this.#canFeed && !socket.isPaused()) {
        this.#feed?.call(socket, this.#nextPiece());
      }
    } finally {
      this.#isFeeding = false;
    }
    if (!socket.parser) this.#unparsed = [];
    if (this.#unparsed.length > 0) socket.pause();
  }

  /** Continues, unless node waits for responses to be taken: then the connection's `resume` event comes later. */
  #resumeParser(): void {
    const { parser, destroyed, _paused } = this.#socket;
    if (!parser || destroyed || _paused) return;
    this.#isResumeDue = false;
    parser.resume();
    // No bytes are added: a request that has no body is complete after this.
    this.#feed?.call(this.#socket, Buffer.alloc(0));
  }

  get #canFeed(): boolean {
    const { parser, destroyed, _paused } = this.#socket;
    if (!parser || destroyed || _paused || this.#isResumeDue) return false;
    // The body of the latest request is read in any case.
    return !this.#isFull || this.#latest?.complete === false;
  }

  /** Takes bytes that end, as far as can be seen, with a header section or a body. */
  #nextPiece(): Buffer {
    const chunk = this.#unparsed[0] ?? Buffer.alloc(0);
    const isInBody = this.#latest?.complete === false;
    let end: number;
    if (isInBody && this.#bodyLeft > 0) {
      end = Math.min(this.#bodyLeft, chunk.length);
      this.#bodyLeft -= end;
    } else {
      // A chunked body ends so, too.
      const found = chunk.indexOf(headEnd, isInBody ? 0 : minHeadBytes, "latin1");
      end = found < 0 ? chunk.length : found + headEnd.length;
    }
    if (end === chunk.length) this.#unparsed.shift();
    else this.#unparsed[0] = chunk.subarray(end);
    return chunk.subarray(0, end);
  }
}
