import { chooseBest, parseWeights } from "./accept.ts";

/** How a stream of messages is told in one body. */
export interface StreamForm {
  readonly mediaType: string;
  /**
   * Text for a message.
   *
   * @param json the message
   * @param index how many came before it
   * @param id what the message is known by; empty when by nothing
   */
  readonly message: (json: string, index: number, id: string) => string;
  /** Text for the error that ends the stream. @param json the error's body */
  readonly error: (json: string, index: number) => string;
  /** Text for the end of the stream. @param count how many messages there were */
  readonly end: (count: number) => string;
}

/** One array, which is whole whatever happens: an error is its last element. */
const jsonArray: StreamForm = {
  mediaType: "application/json",
  message: (json, index) => (index === 0 ? "[" : ",") + json,
  error: (json, index) => `${index === 0 ? "[" : ","}{"error":${json}}]`,
  end: (count) => (count === 0 ? "[]" : "]"),
};

/** A message a line (https://github.com/ndjson/ndjson-spec). */
export const ndjson: StreamForm = {
  mediaType: "application/x-ndjson",
  message: (json) => `${json}\n`,
  error: (json) => `{"error":${json}}\n`,
  end: () => "",
};

/**
 * A message an event (https://html.spec.whatwg.org/multipage/server-sent-events.html). A client connects
 * again when the connection ends, so the end is an event, too.
 */
export const serverSentEvents: StreamForm = {
  mediaType: "text/event-stream",
  message: (json, _, id) => `${id === "" ? "" : `id: ${id}\n`}data: ${json}\n\n`,
  error: (json) => `event: error\ndata: ${json}\n\n`,
  end: () => "event: end\ndata:\n\n",
};

const forms = [jsonArray, ndjson, serverSentEvents];

/**
 * Chooses how to tell a stream.
 *
 * @param accept the Accept field. Where it wants none of the forms, it gets the first one: an answer in
 * a form not asked for is better than none (RFC 9110, section 15.5.7)
 */
export function chooseStreamForm(accept: string | undefined): StreamForm {
  const weights = parseWeights(accept ?? "*/*");
  const best = chooseBest(forms, ({ mediaType }) => {
    const range = `${mediaType.slice(0, mediaType.indexOf("/"))}/*`;
    return weights.get(mediaType) ?? weights.get(range) ?? weights.get("*/*") ?? 0;
  });
  return best ?? jsonArray;
}
