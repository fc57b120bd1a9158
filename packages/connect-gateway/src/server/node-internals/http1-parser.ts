import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { handleOf } from "./socket-handle.ts";

/** The return value with which a callback pauses llhttp: HPE_PAUSED. */
const paused = 21;

interface Parser {
  onIncoming?: (request: ParsedRequest, keepAlive: boolean) => number;
  resume(): void;
}

type ParsedRequest = IncomingMessage & { readonly upgrade?: boolean };

/** A connection of node's HTTP/1 server. */
export interface Http1Socket extends Socket {
  /** Null when node is done with the connection. */
  readonly parser?: Parser | null;
  /** Whether node itself has paused the connection because the client does not read its responses. */
  readonly _paused?: boolean;
}

export interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** A listener of node for the bytes of a connection, which passes them to the parser. */
export type Feed = (this: Socket, chunk: Buffer) => void;

/** Lets a function pause the parser after the headers of a request other than CONNECT. @returns false when node is done with it */
export function controlParser({ parser }: Http1Socket, mustPause: () => boolean): boolean {
  const onIncoming = parser?.onIncoming;
  if (!parser || !onIncoming) return false;
  // Not assigned at once: see guardEmit.
  const incoming: typeof onIncoming = (request, keepAlive) => {
    const result = onIncoming(request, keepAlive);
    return !request.upgrade && mustPause() ? paused : result;
  };
  parser.onIncoming = incoming;
  return true;
}

/** Returns the bytes that a paused parser has left; undefined when the error has another cause. */
export function bytesAfterPause({ code, rawPacket, bytesParsed }: ParserError): Buffer | undefined {
  return code === "HPE_PAUSED" && rawPacket
    ? Buffer.from(rawPacket.subarray(bytesParsed))
    : undefined;
}

/** Returns whether the parser can be given bytes. It cannot while node waits for the client to read. */
export function canParse({ parser, destroyed, _paused }: Http1Socket): boolean {
  return Boolean(parser) && !destroyed && !_paused;
}

/** Gives bytes to a listener instead of the parser. @returns node's own listener, which passes them on; undefined if node is done */
export function takeBytes(socket: Http1Socket, onData: (chunk: Buffer) => void): Feed | undefined {
  const [feed] = socket.listeners("data") as Feed[];
  socket.on("data", onData);
  if (feed) socket.off("data", feed);
  // A paused parser has stopped the handle, and node has just removed its listener that would start it again.
  const handle = handleOf(socket);
  if (handle && !handle.reading) {
    handle.reading = true;
    handle.readStart();
  }
  return feed;
}

/** Starts the checks for timeouts and idle connections of a server that does not listen. */
export function startChecks(server: Server): void {
  server.emit("listening");
}

/** Replaces what node does after its last response: it destroys the socket although a slow client may need more time to read. */
export function onLastResponse(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}

/** Gives the bytes of a connection to a listener instead of all others. */
export function takeBytesForGood(socket: Socket, onData: (chunk: Buffer) => void): void {
  takeBytes(socket, onData);
  for (const listener of socket.listeners("data") as Feed[]) {
    if (listener !== onData) socket.off("data", listener);
  }
  socket.resume();
}
