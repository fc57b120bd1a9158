import type { DescMethod } from "@bufbuild/protobuf";
import type { AnyMessage, Method } from "../call/method.ts";
import { lastResort } from "../call/public-error.ts";
import type { CallerWork } from "./caller-work.ts";
import type { ContentCoding } from "./content/coding.ts";
import type { Content } from "./content/content.ts";
import { HttpContext, trySend } from "./http-context.ts";

/** A message as it was received. */
export interface Packed {
  readonly data: Uint8Array;
  /** Its compression; undefined for none. */
  readonly coding: ContentCoding | undefined;
}

/** The part of a response body that has one message. */
export type Piece = string | Uint8Array;

export interface InterfaceOptions {
  /** Runs the work of callers whose cost depends on their messages. */
  readonly work: CallerWork;
  readonly publicWork: CallerWork;
  /** Returns the largest message of a method that sets none itself, in bytes, before and after decompression. */
  readonly readMaxBytes: (method: DescMethod) => number;
  /** Called with every bug, such as an error that cannot be sent. */
  readonly onFault: (error: unknown) => void;
}

/**
 * The context of a call, and how its protocol reads the request and writes the response. `serveCall` calls these functions in
 * this order. One object for both, because each request has one.
 */
export abstract class ProtocolContext extends HttpContext {
  abstract get served(): Method;
  abstract get options(): InterfaceOptions;

  get work(): CallerWork {
    const { work, publicWork } = this.options;
    return this.served.isPublic ? publicWork : work;
  }

  /** The largest message of a request, in bytes, before and after decompression. */
  get maxMessageBytes(): number {
    return this.served.readMaxBytes ?? this.options.readMaxBytes(this.method);
  }

  /** Checks the headers of the request and sets the deadline. Runs before any of the body is read. @throws any error */
  abstract checkHeaders(): void;
  /** Reads the body of a request with one message. */
  abstract readBody(): Uint8Array | Promise<Uint8Array>;
  /** Returns the message in a body. @throws any error, if it has none or several */
  abstract unpack(body: Uint8Array): Packed;
  /** Makes the error of a message that cannot be decompressed. */
  abstract decompressionFault(error: unknown, coding: ContentCoding): Error;
  /** Reads a message. @throws any error, if it is malformed */
  abstract decode(data: Uint8Array): AnyMessage;

  /** Serializes the response of a unary call. The result is a promise for a long one. */
  abstract encode(response: AnyMessage): Content | Promise<Content>;
  /** Sends the response of a unary call, compressed if the client accepts that and it is worth it. */
  abstract send(content: Content): void | Promise<void>;

  /** Divides the body of a stream of requests into messages. @throws any error */
  unpackEach(_body: AsyncIterable<Uint8Array>): AsyncIterable<Packed> {
    throw noStreams();
  }

  /** Whether {@link begin} does not need the first message. */
  get canBeginEarly(): boolean {
    return false;
  }

  /** Begins the response of a streaming call. @param first the first message; undefined if there is none yet */
  begin(_first: AnyMessage | undefined): void {
    throw noStreams();
  }

  /** Returns what to send for a message of a stream: no empty text. @param index number of messages before it */
  encodeNext(_message: AnyMessage, _index: number): Piece | Promise<Piece> {
    throw noStreams();
  }

  /** Ends the response of a streaming call after its last message. @param count number of messages */
  complete(_count: number): void {
    throw noStreams();
  }

  /** Reports an error and responds with it, also within a stream. @param count number of messages before it */
  abstract fail(error: unknown, count: number): void;

  refuse(error: unknown): void {
    // Those of the gate do not count.
    this.hasHeaders = false;
    this.response.discardBody();
    trySend(this, error, fail);
  }
}

function noStreams(): Error {
  return new Error("The protocol has no such streams");
}

/** Ends a call with an error. Never throws. @param count number of messages that were sent before it */
export function failCall(context: ProtocolContext, error: unknown, count: number): void {
  const { response, served } = context;
  if (!response.headersSent) {
    if (served.kind === "unary") response.discardBody();
    else response.discardRest();
  }
  trySend(context, error, failMapped, count);
}

function failMapped(context: ProtocolContext, error: unknown, count: number): void {
  fail(context, error === lastResort ? error : context.served.mapError(error, context), count);
}

function fail(context: ProtocolContext, error: unknown, count: number): void {
  context.fail(error, count);
}
