import type { TimeLimit } from "../../call/time-limit.ts";
import type { CallerWork } from "../../http/caller-work.ts";
import { cacheControl, varyOn } from "../../http/content/caching.ts";
import type { NodeServerResponse } from "../../http/exchange/node-http.ts";
import { clientDisconnected, type HttpCall } from "../../http/http-call.ts";
import { unbuffered } from "../../http/send-error.ts";
import type { Exchange } from "./exchange.ts";
import { chooseStreamFormat, type StreamFormat } from "./stream-format.ts";
import type { ResponseWriter } from "./writer.ts";

/** A stream that is being sent. */
interface Stream {
  /** Waits for the turn to send a message of this many characters, unless it can be sent now. */
  readonly turn: (length: number) => Promise<void> | undefined;
  readonly response: NodeServerResponse;
  readonly iterator: AsyncIterator<object>;
  readonly limit: TimeLimit;
  /** Returns the JSON body of an error response. */
  readonly errorBody: (error: unknown) => string;
}

/** Size of a message whose writing is one step, in characters. */
const charsPerStep = 1024;

/**
 * Sends each message of a stream when it is available and the client can receive it. Streams take turns.
 *
 * @param work runs the work of callers
 * @param errorBody returns the JSON body of an error response
 * @throws the error that ended the stream. If it was thrown before the first message, nothing has been sent.
 * Otherwise the body ends with the error
 */
export async function sendStream<Caller>(
  exchange: Exchange,
  call: HttpCall<Caller>,
  work: CallerWork<Caller>,
  writer: ResponseWriter,
  messages: AsyncIterable<object>,
  limit: TimeLimit,
  errorBody: (error: unknown) => string,
): Promise<void> {
  const { response } = exchange;
  call.record.isStream = true;
  const iterator = messages[Symbol.asyncIterator]();
  const turn = (length: number) =>
    work.turn(call.caller, response, 1 + Math.floor(length / charsPerStep));
  const onClose = () => limit.end(clientDisconnected());
  if (response.destroyed) onClose();
  else response.once("close", onClose);
  try {
    const first = await limit.wait(iterator.next());
    const format = chooseStreamFormat(response.req.headers.accept);
    sendHead(exchange, call, format);
    if (response.req.method === "HEAD") response.end();
    else await pump({ response, iterator, limit, errorBody, turn }, format, writer, first);
  } finally {
    response.off("close", onClose);
    // Without await: a method that ignores its signal could take long to return.
    iterator.return?.().catch(() => undefined);
  }
}

function sendHead<Caller>(
  exchange: Exchange,
  call: HttpCall<Caller>,
  { mediaType }: StreamFormat,
): void {
  const fields: Record<string, string> = {
    ...cacheControl(exchange.response),
    ...exchange.headers,
    ...call.headersSet,
    "content-type": mediaType,
    [unbuffered[0].toLowerCase()]: unbuffered[1],
  };
  fields.vary = varyOn("accept", exchange.response, fields);
  exchange.response.writeHead(200, fields);
}

async function pump(
  { response, iterator, limit, errorBody, turn }: Stream,
  format: StreamFormat,
  { text, eventId }: ResponseWriter,
  first: IteratorResult<object>,
): Promise<void> {
  let count = 0;
  try {
    for (let next = first; !next.done; next = await limit.wait(iterator.next())) {
      const framed = format.message(text(next.value), count, eventId(next.value));
      const waiting = turn(framed.length);
      if (waiting) await limit.wait(waiting);
      const hasRoom = response.write(framed);
      count++;
      if (!hasRoom) await limit.wait(drained(response));
    }
  } catch (error) {
    // A client that does not read must not keep a stream that has ended.
    response.resetUnlessSent();
    response.end(format.error(errorBody(error), count));
    throw error;
  }
  const end = format.end(count);
  // No empty text: over HTTP/2, Node 26.10 would send freed memory in place of the text before it.
  if (end === "") response.end();
  else response.end(end);
}

/** Resolves when the send buffer is empty; never if the client has disconnected. */
function drained(response: NodeServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
  });
}
