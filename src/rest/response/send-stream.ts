import type { TimeLimit } from "../../call/time-limit.ts";
import type { CallerWork } from "../../http/caller-work.ts";
import { cacheControl, varyOn } from "../../http/content/caching.ts";
import type { NodeServerResponse } from "../../http/exchange/node-http.ts";
import { clientDisconnected, type HttpCall } from "../../http/http-call.ts";
import { unbuffered } from "../../http/send-error.ts";
import { unknownMediaType } from "../binding/http-body.ts";
import type { Exchange } from "./exchange.ts";
import { chooseStreamFormat } from "./stream-format.ts";
import type { ResponseWriter } from "./writer.ts";

/** The format of a stream: it turns messages into one response body. */
interface Framing {
  readonly mediaType: string;
  readonly message: (message: object, index: number) => string | Uint8Array;
  /** Text for the error that ends the stream; undefined if the format has no place for errors. */
  readonly error: ((json: string, index: number) => string) | undefined;
  readonly end: (count: number) => string;
}

/** A stream that is being sent. */
interface Stream {
  /** Waits for the turn to send a message of this many characters or bytes, unless it can be sent now. */
  readonly turn: (length: number) => Promise<void> | undefined;
  readonly response: NodeServerResponse;
  readonly iterator: AsyncIterator<object>;
  readonly limit: TimeLimit;
  /** Returns the JSON body of an error response. */
  readonly errorBody: (error: unknown) => string;
}

/** Size of a message whose writing is one step, in characters or bytes. */
const charsPerStep = 1024;

/**
 * Sends each message of a stream when it is available and the client can receive it. Streams take turns.
 *
 * @param work runs the work of callers
 * @param errorBody returns the JSON body of an error response
 * @throws the error that ended the stream. If it was thrown before the first message, nothing has been sent.
 * Otherwise the body ends with the error, or the connection is broken off if the format has no place for it
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
    const framing = writer.raw ? rawFraming(writer.raw, first) : jsonFraming(exchange, writer);
    sendHead(exchange, call, framing, writer.raw === undefined);
    if (response.req.method === "HEAD") response.end();
    else await pump({ response, iterator, limit, errorBody, turn }, framing, first);
  } finally {
    response.off("close", onClose);
    // Without await: a method that ignores its signal could take long to return.
    iterator.return?.().catch(() => undefined);
  }
}

function jsonFraming({ response }: Exchange, { text, eventId }: ResponseWriter): Framing {
  const format = chooseStreamFormat(response.req.headers.accept);
  return {
    ...format,
    message: (message, index) => format.message(text(message), index, eventId(message)),
  };
}

function rawFraming(
  raw: NonNullable<ResponseWriter["raw"]>,
  first: IteratorResult<object>,
): Framing {
  const mediaType = first.done ? "" : raw(first.value).contentType;
  return {
    mediaType: mediaType || unknownMediaType,
    message: (message) => raw(message).data,
    error: undefined,
    end: () => "",
  };
}

function sendHead<Caller>(
  exchange: Exchange,
  call: HttpCall<Caller>,
  { mediaType }: Framing,
  isNegotiated: boolean,
): void {
  const fields: Record<string, string> = {
    ...cacheControl(exchange.response),
    ...exchange.headers,
    ...call.headersSet,
    "content-type": mediaType,
    [unbuffered[0].toLowerCase()]: unbuffered[1],
  };
  if (isNegotiated) fields.vary = varyOn("accept", exchange.response, fields);
  exchange.response.writeHead(200, fields);
}

async function pump(
  { response, iterator, limit, errorBody, turn }: Stream,
  framing: Framing,
  first: IteratorResult<object>,
): Promise<void> {
  let count = 0;
  try {
    for (let next = first; !next.done; next = await limit.wait(iterator.next())) {
      const text = framing.message(next.value, count);
      const waiting = turn(text.length);
      if (waiting) await limit.wait(waiting);
      const hasRoom = response.write(text);
      count++;
      if (!hasRoom) await limit.wait(drained(response));
    }
  } catch (error) {
    // A client that does not read must not keep a stream that has ended.
    response.resetUnlessSent();
    if (framing.error) response.end(framing.error(errorBody(error), count));
    else response.destroy();
    throw error;
  }
  const end = framing.end(count);
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
