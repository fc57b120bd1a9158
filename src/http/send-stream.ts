import type { AnyMessage } from "../call/method.ts";
import { limitTime, type TimeLimit } from "../call/time-limit.ts";
import type { CallerWork } from "./caller-work.ts";
import { joinConnection } from "./exchange/connection-streams.ts";
import type { NodeServerResponse } from "./exchange/node-http.ts";
import { clientDisconnected, type HttpContext } from "./http-context.ts";

/** A part of a response body. */
type Data = string | Uint8Array;

/** How a protocol sends a stream of messages. */
export interface StreamOutput {
  /** Begins the response. @param first the first message; undefined if there is none */
  begin(first: AnyMessage | undefined): void;
  /** Returns what to send for a message: no empty text. @param index number of messages before it */
  encode(message: AnyMessage, index: number): Data | Promise<Data>;
  /** Ends the response after the last message. @param count number of messages */
  succeed(count: number): void;
  /** Ends a response that has begun with an error. @param count number of messages before it */
  fail(error: unknown, count: number): void;
}

/** Size of a message that is sent within one step, in characters or bytes. */
const sizePerStep = 1024;

/**
 * Sends each message of a stream when it is available and the client can receive it, until the deadline of the call or
 * until the connection closes. Streams take turns. It does not wait for a method that ignores its signal.
 *
 * @param work runs the work of callers
 * @throws an error before the first message. The response has not begun then
 */
export async function sendStream(
  context: HttpContext,
  work: CallerWork,
  messages: AsyncIterable<AnyMessage>,
  output: StreamOutput,
): Promise<void> {
  const { response } = context;
  const limit = limitTime(context, context.deadline);
  context.onEnd = limit.end;
  const leaveConnection = joinConnection(response.req, limit.end);
  const onClose = () => limit.end(clientDisconnected());
  if (response.destroyed) onClose();
  else response.once("close", onClose);
  const iterator = messages[Symbol.asyncIterator]();
  try {
    const first = await limit.wait(iterator.next());
    output.begin(first.value);
    if (response.req.method === "HEAD") response.end();
    else await sendMessages(context, work, iterator, limit, output, first);
  } finally {
    limit.release();
    leaveConnection();
    response.off("close", onClose);
    // Without await: a method that ignores its signal could take long to return.
    iterator.return?.().catch(() => undefined);
  }
}

async function sendMessages(
  { owner, response }: HttpContext,
  work: CallerWork,
  iterator: AsyncIterator<AnyMessage>,
  limit: TimeLimit,
  output: StreamOutput,
  first: IteratorResult<AnyMessage>,
): Promise<void> {
  let count = 0;
  try {
    for (let next = first; !next.done; next = await limit.wait(iterator.next())) {
      const encoding = output.encode(next.value, count);
      const data = encoding instanceof Promise ? await limit.wait(encoding) : encoding;
      const turn = work.turn(owner, response, 1 + Math.floor(data.length / sizePerStep));
      if (turn) await limit.wait(turn);
      const hasRoom = response.write(data);
      count++;
      if (!hasRoom) await limit.wait(drained(response));
    }
  } catch (error) {
    // A client that does not read must not keep a stream that has ended.
    response.resetUnlessSent();
    output.fail(error, count);
    return;
  }
  output.succeed(count);
}

/** Resolves when the send buffer is empty; never if the client has disconnected. */
function drained(response: NodeServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
  });
}
