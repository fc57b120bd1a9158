import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Most open requests on one HTTP/1 connection. At this number, the server stops parsing the connection. Clients that
 * pipeline rarely send more than a few requests ahead.
 */
export const maxPipelined = 8;

/** The return value with which a callback pauses llhttp: HPE_PAUSED. */
const paused = 21;

const headEnd = "\r\n\r\n";

/** The shortest request, without its final CRLF CRLF: `A * HTTP/1.1`. */
const minHeadBytes = 12;

/** The parts of node's HTTP/1 parser that are used here. Node does not document them. */
interface Parser {
  onIncoming?: (request: IncomingMessage & { upgrade?: boolean }, keepAlive: boolean) => number;
  resume(): void;
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

/**
 * Limits the open requests of one HTTP/1 connection.
 *
 * Without this class, node parses all requests of a read at once: up to 64 KiB, which can be thousands of requests with
 * all their objects. Here, the parser stops after the header section of the request that reaches the limit. From then
 * on, this class gives the parser one request at a time, as responses end. Until a connection reaches the limit, the
 * parser reads from its handle directly, which is cheaper.
 */
export class Http1Pipeline {
  readonly #socket: ServerSocket;
  /** Node's own listener for the connection's bytes, once this class has replaced it. */
  #feed: Feed | undefined;
  #unfinished = 0;
  #latest: IncomingMessage | undefined;
  /** Bytes of the latest request's body that have not arrived yet, by its Content-Length. */
  #bodyLeft = 0;
  /** Bytes that were received but not parsed yet. */
  #unparsed: Buffer[] = [];
  #isFeeding = false;
  /** Whether the parser is still paused at the limit. */
  #isResumeDue = false;
  #isClosed = false;

  /**
   * @param socket a connection that node's HTTP/1 server has just taken over
   */
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

  /** Call it when the header section of a request was parsed. */
  begun(request: IncomingMessage): void {
    this.#unfinished += 1;
    this.#latest = request;
    this.#bodyLeft = Number(request.headers["content-length"] ?? 0);
  }

  /** Call it when a response is closed. */
  ended(): void {
    this.#unfinished -= 1;
    if (this.#feed) this.#pump();
  }

  /** Stops parsing. Call it when the connection will close after the latest response. */
  close(): void {
    this.#isClosed = true;
    this.#unparsed = [];
  }

  /**
   * Continues after the parser has stopped at the limit.
   *
   * @returns false when the error has another cause
   */
  takeOver({ code, rawPacket, bytesParsed }: ParserError): boolean {
    const { parser } = this.#socket;
    if (code !== "HPE_PAUSED" || !parser || !rawPacket) return false;
    // At the second pause, the connection is closed and further bytes are ignored.
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
    // With this listener, node's parser no longer reads from the handle directly.
    socket.on("data", (chunk: Buffer) => {
      if (this.#isClosed) return;
      this.#unparsed.push(chunk);
      this.#pump();
    });
    // Node resumes the connection when a request's body is read and when a response was written.
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
    return !this.#isFull || this.#latest?.complete === false;
  }

  /** Removes the bytes up to the end of a header section or body, if it can be found. */
  #nextPiece(): Buffer {
    const chunk = this.#unparsed[0] ?? Buffer.alloc(0);
    const isInBody = this.#latest?.complete === false;
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
    return chunk.subarray(0, end);
  }
}
