import { EventEmitter } from "node:events";
import type { Http2Server, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Readable } from "node:stream";

/** Gives a server a connection that it has not accepted itself. The `session` event is emitted before the return. */
export function startSession(server: Http2Server, socket: Socket): void {
  joinBuffered(socket);
  server.emit("connection", socket);
}

/**
 * Joins the pieces that a socket has buffered. A new session processes them one after another, and node throws when an
 * invalid one has ended the session before the last one.
 */
function joinBuffered(socket: Socket): void {
  const pieces: Buffer[] = [];
  for (let piece = socket.read(); piece !== null; piece = socket.read()) pieces.push(piece);
  if (pieces.length > 0) socket.unshift(pieces.length > 1 ? Buffer.concat(pieces) : pieces[0]);
}

/** What happens to a stream. */
export interface StreamFollower {
  /** The stream has taken a DATA frame of this length. At the end of the body, the length is 0. */
  received(bytes: number): void;
  /** The client has reset the stream. */
  aborted(): void;
  /** The stream waits for trailers, which must be sent now. */
  sendTrailers(): void;
  /** The stream has failed. It does not close by itself. */
  failed(): void;
  /** The stream is closed. Nothing follows. */
  closed(): void;
  /** A listener of the stream has thrown an error. */
  fail(error: unknown): void;
}

const follower: unique symbol = Symbol("follower");

interface FollowedStream extends ServerHttp2Stream {
  [follower]?: StreamFollower | undefined;
}

/**
 * Follows a stream. Listeners would be expensive: node's streams emit an event of their own for each listener that is
 * added or removed. Node also has no event for a DATA frame. Errors of listeners do not end the process.
 */
export function followStream(stream: FollowedStream, by: StreamFollower): void {
  stream[follower] = by;
  stream.emit = emitToFollower;
  stream.push = pushToFollower;
}

const { emit } = EventEmitter.prototype;
const { push } = Readable.prototype;

function emitToFollower(this: FollowedStream, event: string | symbol, ...values: unknown[]) {
  const by = this[follower];
  try {
    switch (event) {
      case "aborted":
        by?.aborted();
        break;
      case "wantTrailers":
        by?.sendTrailers();
        return true;
      case "error":
        by?.failed();
        if (this.listenerCount("error") === 0) return true;
        break;
      case "close":
        by?.closed();
        emit.call(this, event, ...values);
        release(this);
        return true;
    }
    return emit.call(this, event, ...values);
  } catch (error) {
    by?.fail(error);
    return true;
  }
}

function pushToFollower(this: FollowedStream, piece: Uint8Array | null, encoding?: BufferEncoding) {
  // Node ends the body again when the stream closes.
  const by = hasWholeBody(this) ? undefined : this[follower];
  const isTaken = push.call(this, piece, encoding);
  by?.received(piece?.length ?? 0);
  return isTaken;
}

/** The events to which node itself listens, with functions that refer to nothing. */
const ofNode: ReadonlySet<string | symbol> = new Set([
  "pause",
  "newListener",
  "removeListener",
  "end",
  "finish",
]);

/**
 * Lets go of everything large that a closed stream refers to. Node's own objects can refer to the stream until the next
 * major collection.
 */
function release(stream: FollowedStream): void {
  stream[follower] = undefined;
  if (stream.eventNames().some((name) => !ofNode.has(name))) stream.removeAllListeners();
}

/** Returns whether the end of a request body has arrived, whether it was read or not. */
export function hasWholeBody(stream: ServerHttp2Stream): boolean {
  return (stream as unknown as { _readableState: { ended: boolean } })._readableState.ended;
}

const nothing = new Uint8Array();

/** Reads a request body if all of it has arrived. @returns undefined otherwise, and when the stream is closed */
export function takeWholeBody(stream: ServerHttp2Stream): Uint8Array | undefined {
  if (!hasWholeBody(stream) || stream.closed) return undefined;
  // Without a length, it would return the first piece only.
  const body: Buffer | null = stream.read(stream.readableLength);
  stream.read(0); // ends the stream
  return body ?? nothing;
}
