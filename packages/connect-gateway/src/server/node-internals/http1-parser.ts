import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { handleOf } from "./socket-handle.ts";

/** The return value with which a callback pauses llhttp: HPE_PAUSED. */
const paused = 21;

/** The part of node's HTTP/1 parser that is used here. */
interface Parser {
  onIncoming?: (request: ParsedRequest, keepAlive: boolean) => number;
  resume(): void;
  /** Returns a copy of the bytes that are being parsed. */
  getCurrentBuffer(): Buffer;
  /** Parses bytes. Returns the number of bytes parsed, or an error. */
  execute(bytes: Buffer): unknown;
  readonly socket: Socket | null;
  /** Called when the parser has parsed bytes that it has read itself, with the same result as `execute`. */
  [onExecute: number]: ((result: unknown) => void) | null;
}

type ParsedRequest = IncomingMessage & { readonly upgrade?: boolean };

/** A connection of node's HTTP/1 server. */
export interface Http1Socket extends Socket {
  /** Null when node is done with the connection. */
  readonly parser?: Parser | null;
  /** Whether node itself has paused the connection because the client does not read its responses. */
  readonly _paused?: boolean;
}

/** An error of the parser, as in a `clientError` event. */
export interface ParserError extends Error {
  readonly code?: unknown;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** What becomes of the `Upgrade` header of a request, or of CONNECT. */
export type Upgrade = "none" | "ignored" | "accepted";

/** Controls the parser of a connection. */
export interface ParserControl {
  /**
   * Called when a header section was parsed and node's own listeners have returned.
   *
   * @returns `pause` to stop the parser there; `report` to call `parsed` after the current read
   */
  headParsed(upgrade: Upgrade): "continue" | "pause" | "report";
  /** Called after the parser was given bytes. @param result the number of bytes parsed, or an error, which node reports */
  parsed(bytes: Buffer, result: unknown): void;
}

/** A listener of node for the bytes of a connection, which passes them to the parser. */
export type Feed = (this: Socket, chunk: Buffer) => void;

const controls = new WeakMap<Socket, ParserControl>();

/** Replaces `execute` of a parser for good. Node gives the parser to other sockets later, even to those of clients. */
function executeAndReport(this: Parser, bytes: Buffer): unknown {
  const result = Object.getPrototypeOf(this).execute.call(this, bytes);
  if (this.socket) controls.get(this.socket)?.parsed(bytes, result);
  return result;
}

/** Lets an object control the parser of a connection. @returns false when node is done with the connection already */
export function controlParser(socket: Http1Socket, control: ParserControl): boolean {
  const { parser } = socket;
  const onIncoming = parser?.onIncoming;
  if (!parser || !onIncoming) return false;
  controls.set(socket, control);
  parser.execute = executeAndReport;
  // Not assigned at once: see guardEmit.
  const incoming: typeof onIncoming = (request, keepAlive) => {
    const asksForUpgrade = request.upgrade === true;
    const result = onIncoming(request, keepAlive);
    // Node clears `upgrade` of a request for which it has no listener.
    const upgrade = request.upgrade ? "accepted" : asksForUpgrade ? "ignored" : "none";
    const next = control.headParsed(upgrade);
    if (next === "report") reportRead(parser, control);
    return next === "pause" ? paused : result;
  };
  parser.onIncoming = incoming;
  return true;
}

/** Calls `parsed` after the current read, if the parser has read it from its handle. */
function reportRead(parser: Parser, control: ParserControl): void {
  const { kOnExecute } = parser.constructor as unknown as { kOnExecute: number };
  const onExecute = parser[kOnExecute] ?? null;
  const executeOnce: typeof onExecute = (result) => {
    parser[kOnExecute] = onExecute;
    const bytes = parser.getCurrentBuffer();
    onExecute?.(result);
    control.parsed(bytes, result);
  };
  parser[kOnExecute] = executeOnce;
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

/**
 * Gives the bytes of a connection to a listener instead of the parser, which reads from the handle directly until then.
 *
 * @returns node's own listener, which passes bytes to the parser; undefined when node is done with the connection
 */
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

/**
 * Replaces what node does with a connection after its last HTTP/1 response. Node's own function destroys the socket as
 * soon as the kernel has the response, but a slow client may need more time to read it.
 */
export function onLastResponse(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}

/** Gives the bytes of a connection to a listener instead of all others, as soon as node reads the connection. */
export function takeBytesForGood(socket: Socket, onData: (chunk: Buffer) => void): void {
  const take = () => {
    // The parser reads from the handle directly until there is another listener for data.
    socket.removeAllListeners("data");
    socket.on("data", onData);
  };
  if (socket.readableFlowing) take();
  else {
    // The parser has stopped the handle. Only node's own listener for `resume` starts it again.
    socket.once("resume", take);
    socket.resume();
  }
}
