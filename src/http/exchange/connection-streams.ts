import { constants } from "node:http2";
import type { NodeServerResponse } from "./node-http.ts";

/** Ends a streaming call. @param reason a ConnectError */
type EndCall = (reason: unknown) => void;

/** The open streaming calls of each connection that has had any, with the responses of those that send a stream. */
const streams = new WeakMap<object, Map<EndCall, NodeServerResponse | undefined>>();

/** Connections whose clients have closed their side. */
const halfClosed = new WeakSet<object>();

/**
 * Registers a streaming call, so that {@link endStreams} ends it.
 *
 * @param isSending whether the call sends a stream, so that {@link clientHasEnded} closes its response
 * @returns a function that removes the call. Call it when the call has ended
 */
export function joinConnection(
  response: NodeServerResponse,
  end: EndCall,
  isSending: boolean,
): () => void {
  const connection = response.req.transport;
  if (!connection) return () => {};
  if (isSending && halfClosed.has(connection)) disconnect(response);
  const calls = streams.getOrInsertComputed(connection, () => new Map());
  calls.set(end, isSending ? response : undefined);
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
 * Closes the responses of a connection that are streams, now and later. Call it when the client has closed its side of the
 * connection. TCP does not say whether the client still reads. Most such clients have disconnected, and a watch could
 * keep its place for long. Other calls soon send their one response.
 */
export function clientHasEnded(connection: object): void {
  halfClosed.add(connection);
  for (const response of streams.get(connection)?.values() ?? []) {
    if (response) disconnect(response);
  }
}

function disconnect(response: NodeServerResponse): void {
  if ("stream" in response) response.stream.close(constants.NGHTTP2_CANCEL);
  else response.destroy();
}
