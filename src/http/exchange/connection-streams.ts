import { clientDisconnected } from "../http-context.ts";
import type { NodeServerRequest } from "./node-http.ts";

/** Ends a streaming call. @param reason a ConnectError */
type EndCall = (reason: unknown) => void;

/** The open streaming calls of each connection that has had any, and whether they send a stream. */
const streams = new WeakMap<object, Map<EndCall, boolean>>();

/** Connections whose clients have closed their side. */
const halfClosed = new WeakSet<object>();

/**
 * Registers a streaming call, so that {@link endStreams} ends it.
 *
 * @param isSending whether the call sends a stream, so that {@link clientHasEnded} ends it, too
 * @returns a function that removes the call. Call it when the call has ended
 */
export function joinConnection(
  request: NodeServerRequest,
  end: EndCall,
  isSending: boolean,
): () => void {
  const connection = request.transport;
  if (!connection) return () => {};
  if (isSending && halfClosed.has(connection)) end(clientDisconnected());
  const calls = streams.getOrInsertComputed(connection, () => new Map());
  calls.set(end, isSending);
  return () => void calls.delete(end);
}

/**
 * Ends the streaming calls of a connection.
 *
 * @param connection an HTTP/2 session, or the socket of an HTTP/1 connection
 * @param reason a ConnectError, which the clients receive
 */
export function endStreams(connection: object, reason: unknown): void {
  for (const end of streams.get(connection)?.keys() ?? []) end(reason);
}

/**
 * Ends the calls of a connection that send a stream, now and later. Call it when the client has closed its side of the
 * connection. TCP does not say whether the client still reads. Most such clients have disconnected, and a watch could
 * keep its place for long. Other calls soon send their one response.
 */
export function clientHasEnded(connection: object): void {
  halfClosed.add(connection);
  for (const [end, isSending] of streams.get(connection) ?? []) {
    if (isSending) end(clientDisconnected());
  }
}
