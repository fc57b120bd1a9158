import type { TimeLimit } from "../call/time-limit.ts";
import { cacheControl, varyOn } from "../http/caching.ts";
import { cutUnlessSent } from "../http/cut.ts";
import { clientLeft, type HttpCall } from "../http/http-call.ts";
import {
  breakOff,
  isGone,
  type NodeServerResponse,
  writeChunk,
  writeHead,
} from "../http/node-http.ts";
import type { AnswerWriter } from "./answer-writer.ts";
import type { Exchange } from "./exchange.ts";
import { unknownMediaType } from "./http-body.ts";
import { chooseStreamForm } from "./stream-form.ts";

/** How the messages of one stream become one body. */
interface Framing {
  readonly mediaType: string;
  readonly message: (message: object, index: number) => string | Uint8Array;
  /** Text for the error that ends the stream; undefined when the body has no place for one. */
  readonly error: ((json: string, index: number) => string) | undefined;
  readonly end: (count: number) => string;
}

/** A stream on its way. */
interface Stream {
  readonly response: NodeServerResponse;
  readonly iterator: AsyncIterator<object>;
  readonly limit: TimeLimit;
  /** Tells an error as the body of an error answer. */
  readonly errorBody: (error: unknown) => string;
}

/**
 * Sends a stream of messages, each as soon as it is there and as fast as the client takes them.
 *
 * @param errorBody tells an error as the body of an error answer
 * @throws whatever ended the stream. If it came before the first message, nothing has been sent; later,
 * the client was told in the body, or by a connection that breaks off where there is no place for it
 */
export async function sendStream<Caller>(
  exchange: Exchange,
  call: HttpCall<Caller>,
  answer: AnswerWriter,
  messages: AsyncIterable<object>,
  limit: TimeLimit,
  errorBody: (error: unknown) => string,
): Promise<void> {
  const { request, response } = exchange;
  const iterator = messages[Symbol.asyncIterator]();
  const onClose = () => limit.end(clientLeft());
  if (isGone(response)) onClose();
  else response.once("close", onClose);
  try {
    const first = await limit.wait(iterator.next());
    const framing = answer.raw ? rawFraming(answer.raw, first) : jsonFraming(exchange, answer);
    sendHead(exchange, call, framing, answer.raw === undefined);
    if (request.method === "HEAD") response.end();
    else await pump({ response, iterator, limit, errorBody }, framing, first);
  } finally {
    response.off("close", onClose);
    // Not waited for: a method that does not heed its signal could take its time.
    iterator.return?.().catch(() => undefined);
  }
}

function jsonFraming({ request }: Exchange, { text, eventId }: AnswerWriter): Framing {
  const form = chooseStreamForm(request.headers.accept);
  return {
    ...form,
    message: (message, index) => form.message(text(message), index, eventId(message)),
  };
}

function rawFraming(raw: NonNullable<AnswerWriter["raw"]>, first: IteratorResult<object>): Framing {
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
    ...cacheControl(exchange, undefined),
    ...exchange.headers,
    ...call.headersSet,
    "content-type": mediaType,
  };
  if (isNegotiated) fields.vary = varyOn("accept", exchange, fields);
  writeHead(exchange.response, 200, fields);
}

async function pump(
  { response, iterator, limit, errorBody }: Stream,
  framing: Framing,
  first: IteratorResult<object>,
): Promise<void> {
  let count = 0;
  try {
    for (let next = first; !next.done; next = await limit.wait(iterator.next())) {
      const isTaken = writeChunk(response, framing.message(next.value, count));
      count++;
      if (!isTaken) await limit.wait(drained(response));
    }
  } catch (error) {
    // A client that does not read must not keep a stream that has ended.
    cutUnlessSent(response);
    if (framing.error) response.end(framing.error(errorBody(error), count));
    else breakOff(response);
    throw error;
  }
  const end = framing.end(count);
  // Not an empty text: over HTTP/2, Node 26.10 then sends freed memory in place of the text before it.
  if (end === "") response.end();
  else response.end(end);
}

/** Waits until the client has taken what was sent so far, or for ever when it has left. */
function drained(response: NodeServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
  });
}
