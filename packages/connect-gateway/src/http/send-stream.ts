import type { Socket } from "node:net";
import type { AnyMessage } from "../call/method.ts";
import { limitTime, type TimeLimit } from "../call/time-limit.ts";
import type { Exchange } from "./exchange/exchange.ts";
import { clientDisconnected } from "./http-context.ts";
import { failCall, type ProtocolContext } from "./protocol.ts";

/** Size of a message that is sent within one step, in characters or bytes. */
const sizePerStep = 1024;

/** Time without a message after which a stream sends its headers, in milliseconds. An earlier error can still set the status. */
const silenceMs = 1_000;

/** Waits for the first message. @returns undefined if that takes longer than `silenceMs` */
function soon<T>(first: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, silenceMs, undefined).unref();
  });
  return Promise.race<T | undefined>([first, silence]).finally(() => clearTimeout(timer));
}

/**
 * Sends each message of a stream when it is available and the client can receive it, until the deadline of the call or
 * until the connection closes. Streams take turns. It does not wait for a method that ignores its signal.
 *
 * @throws an error before the response has begun
 */
export async function sendStream(
  context: ProtocolContext,
  messages: AsyncIterable<AnyMessage>,
): Promise<void> {
  const { response } = context;
  response.record.isStream = true;
  const limit = limitTime(context, context.deadline);
  context.onEnd = limit.end;
  const leaveConnection = joinConnection(response, limit.end);
  const onClose = () => limit.end(clientDisconnected());
  if (response.destroyed) onClose();
  else response.once("close", onClose);
  // A gate or guard has ended the call.
  if (context.reason) limit.end(context.reason);
  const iterator = messages[Symbol.asyncIterator]();
  try {
    const pending = iterator.next();
    const first = await limit.wait(context.canBeginEarly ? soon(pending) : pending);
    response.discardRest();
    context.begin(first?.value);
    if (response.method === "HEAD") {
      response.end();
      limit.end(clientDisconnected());
    } else {
      if (!first) response.flushHead();
      await sendMessages(context, iterator, limit, pending);
    }
  } finally {
    limit.release();
    leaveConnection();
    response.off("close", onClose);
    // Without await: a method that ignores its signal could take long to return.
    iterator.return?.().catch(() => undefined);
  }
}

async function sendMessages(
  context: ProtocolContext,
  iterator: AsyncIterator<AnyMessage>,
  limit: TimeLimit,
  first: Promise<IteratorResult<AnyMessage>>,
): Promise<void> {
  const { work, response } = context;
  let count = 0;
  try {
    for (let next = await limit.wait(first); !next.done; next = await limit.wait(iterator.next())) {
      const encoding = context.encodeNext(next.value, count);
      const data = encoding instanceof Promise ? await limit.wait(encoding) : encoding;
      const turn = work.turn(context, 1 + Math.floor(data.length / sizePerStep));
      if (turn) await limit.wait(turn);
      const hasRoom = response.write(data);
      count++;
      if (!hasRoom) await limit.wait(drained(response));
    }
    context.complete(count);
  } catch (error) {
    failCall(context, error, count);
  }
}

/** Resolves when the send buffer is empty; never if the client has disconnected. */
function drained(response: Exchange): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
  });
}

/** The functions that end the open streaming calls of each connection that has had any. */
const streams = new WeakMap<Socket, Set<TimeLimit["end"]>>();

/** Registers a streaming call for {@link endStreams}. @returns a function to be called when the call has ended */
function joinConnection({ socket }: Exchange, end: TimeLimit["end"]): () => void {
  const calls = streams.get(socket) ?? new Set();
  streams.set(socket, calls.add(end));
  return () => void calls.delete(end);
}

/** Ends the streaming calls of a connection. @param reason a ConnectError, which the clients receive */
export function endStreams(socket: Socket, reason: unknown): void {
  for (const end of streams.get(socket) ?? []) end(reason);
}
