import { RequestValues } from "./request-values.ts";

/** The protocol that a response was sent in. `http` is JSON over HTTP, and every response that is not of an RPC protocol. */
export type Protocol = "http" | "connect" | "grpc" | "grpc_web";

/** An operation that requests are counted by. There is one object for each, made at start. */
export interface Operation {
  /** The template of the path, such as `/v1/inventory/{petId}`. The path of an RPC method is its own template. */
  readonly route: string;
}

/** The operation of requests to paths that the service does not know. Their paths are never counted one by one. */
export const otherOperation: Operation = { route: "_OTHER" };

/** The code of a call that has succeeded, in every RPC protocol. */
export const success = 0;

/** The code of a request without one: its client disconnected before a response. */
export const noCode: number = -1;

/**
 * The outcome of a request. The listener creates one record for each request, other parts fill it in, and the listener
 * reports it once, when the response is closed.
 */
export class RequestRecord {
  /** When the header section was complete, on the clock of performance.now(), in milliseconds. */
  readonly startedAt: number;
  operation = otherOperation;
  protocol: Protocol = "http";
  /** The code of the protocol: an HTTP status, or a gRPC or Connect code, where 0 is success. */
  code = noCode;
  /** Whether the response is a stream of messages, which lasts as long as its client wants. */
  isStream = false;
  /** The stable reason of an error, such as `PET_NOT_FOUND`. */
  reason: string | undefined = undefined;
  /** Bytes of the request body that were read. */
  bytesIn = 0;
  /** Bytes of the response body. */
  bytesOut = 0;
  /** The values of the request's context: what the gate, observers and the method have noted. */
  readonly values = new RequestValues();

  constructor(startedAt: number) {
    this.startedAt = startedAt;
  }
}

/** What is known about a request whose header section the parser has rejected. */
export interface Rejected {
  /** The address of the client's end of the connection. */
  readonly peer: string | undefined;
  /** The `X-Request-Id` of the response. */
  readonly requestId: string;
}

/** Writes down the outcome of a request. The first outcome counts: later ones could not be sent. */
export function settle(
  record: RequestRecord,
  protocol: Protocol,
  code: number,
  reason: string | undefined,
): void {
  if (record.code !== noCode) return;
  record.protocol = protocol;
  record.code = code;
  record.reason = reason;
}
