import { notPromise } from "../call/guard.ts";
import type { AnyMessage, StreamingMethod, UnaryMethod } from "../call/method.ts";
import { limitTime } from "../call/time-limit.ts";
import { bodyPieces } from "./exchange/body.ts";
import { sendContinue } from "./exchange/exchange.ts";
import { empty } from "./exchange/growing-buffer.ts";
import { failCall, type Packed, type ProtocolContext } from "./protocol.ts";
import { sendStream } from "./send-stream.ts";

/** The work of a message of a stream of requests after it was parsed, in units of a short request. */
const stepsOfMessage = 4;

/**
 * Serves a call in any protocol, after it was admitted: checks the caller and the headers, reads the body in the turn of
 * the caller, calls the method, and sends its response or an error. The promise never rejects.
 */
export function serveCall(context: ProtocolContext): Promise<void> | undefined {
  const { served, response } = context;
  const failed = (error: unknown) => {
    // The client has got 408 already, because the body took too long.
    if (!response.headersSent) failCall(context, error, 0);
  };
  try {
    const checked = served.before(context);
    const begun = checked
      ? inTime(context, () => checked).then(() => begin(context))
      : begin(context);
    return begun.catch(failed);
  } catch (error) {
    failed(error);
    return undefined;
  }
}

function begin(context: ProtocolContext): Promise<void> {
  const { served } = context;
  context.checkHeaders();
  if (served.kind === "client_streaming" || served.kind === "bidi_streaming") {
    return serveRequests(served, context);
  }
  const reading = context.readBody();
  return reading instanceof Promise
    ? reading.then((body) => receive(context, body))
    : receive(context, reading);
}

function receive(context: ProtocolContext, body: Uint8Array): Promise<void> {
  const { served, work } = context;
  return served.kind === "unary"
    ? work.run(context, body, receiveMessage)
    : work.begin(context, body, receiveMessage);
}

function receiveMessage(context: ProtocolContext, body: Uint8Array): Promise<void> {
  const call = context.served.kind === "unary" ? callUnary : callStreaming;
  return read(context, context.unpack(body), call);
}

async function serveRequests(method: StreamingMethod, context: ProtocolContext): Promise<void> {
  const { work, response } = context;
  const body = bodyPieces(response);
  const begin = () => {
    sendContinue(response);
    return sendStream(context, method.invoke(readEach(context, body.pieces), context));
  };
  try {
    await work.begin(context, empty, begin);
  } finally {
    body.stop();
  }
}

async function* readEach(
  context: ProtocolContext,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<AnyMessage> {
  const { work } = context;
  for await (const packed of context.unpackEach(body)) {
    const message = packed.coding ? () => read(context, packed, itself) : decode;
    yield await work.run(context, packed.data, message, stepsOfMessage);
  }
}

function decode(context: ProtocolContext, data: Uint8Array): AnyMessage {
  return context.decode(data);
}

const itself = (_: ProtocolContext, message: AnyMessage) => message;

/** Reads a message and uses it. Call it within `work.run`: the expensive work comes before the first asynchronous step. */
function read<T>(
  context: ProtocolContext,
  { data, coding }: Packed,
  use: (context: ProtocolContext, message: AnyMessage) => T,
): T | Promise<Awaited<T>> {
  if (!coding || data.length === 0) return use(context, context.decode(data));
  const { work } = context;
  const useDecoded = (_: ProtocolContext, plain: Uint8Array) => use(context, context.decode(plain));
  const plain = work.decompress(context, data, coding);
  return plain instanceof Promise
    ? (plain.then((message) => work.run(context, message, useDecoded)) as Promise<Awaited<T>>)
    : useDecoded(context, plain);
}

function callStreaming(context: ProtocolContext, request: AnyMessage): Promise<void> {
  const method = context.served as StreamingMethod;
  return sendStream(context, method.invoke(request, context));
}

/** Calls a unary method, unless its deadline has passed, and sends its response. Long calls take turns. @throws any error */
function callUnary(context: ProtocolContext, request: AnyMessage): Promise<void> {
  const method = context.served as UnaryMethod;
  const waits = notPromise(method.isLong(request), "guards.isLong");
  // Most calls need no timers.
  if (waits || context.deadline !== undefined) {
    const call = () => method.invoke(request, context).then((response) => context.encode(response));
    // In the turn of its owner, which ends with the deadline or connection.
    const inTurn = () => context.work.runLong(context, () => untilAborted(context.signal, call));
    return inTime(context, waits ? inTurn : call).then((content) => context.send(content));
  }
  return method.invoke(request, context).then((response) => {
    const content = context.encode(response);
    return content instanceof Promise
      ? content.then((written) => context.send(written))
      : context.send(content);
  });
}

/** Waits for work of a call until the call is aborted. @throws the reason; any error of the work */
function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work().then(resolve, reject);
  });
}

/** Does work of a call, and waits for it until the deadline. @throws ConnectError deadline_exceeded; any error of the work */
async function inTime<T>(context: ProtocolContext, work: () => Promise<T>): Promise<T> {
  if (context.deadline === undefined) return work();
  const limit = limitTime(context, context.deadline);
  try {
    return await limit.wait(work());
  } finally {
    limit.release();
  }
}
