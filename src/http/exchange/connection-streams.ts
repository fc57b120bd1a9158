import type { NodeServerRequest } from "./node-http.ts";

/** Ends a streaming call. @param reason a ConnectError */
type EndCall = (reason: unknown) => void;

/** The open streaming calls of each connection that has had any. */
const streams = new WeakMap<object, Set<EndCall>>();

/**
 * Registers a streaming call, so that {@link endStreams} ends it.
 *
 * @returns a function that removes the call. Call it when the call has ended
 */
export function joinConnection(request: NodeServerRequest, end: EndCall): () => void {
  const connection = request.transport;
  if (!connection) return () => {};
  const calls = streams.get(connection) ?? new Set();
  streams.set(connection, calls.add(end));
  return () => void calls.delete(end);
}

/**
 * Ends the streaming calls of a connection.
 *
 * @param connection an HTTP/2 session, or the socket of an HTTP/1 connection
 * @param reason a ConnectError, which the clients receive
 */
export function endStreams(connection: object, reason: unknown): void {
  for (const end of streams.get(connection) ?? []) end(reason);
}
