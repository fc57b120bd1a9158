import { chooseBest, parseWeights } from "../../http/content/accept.ts";

/** A format for a stream of messages in one response body. */
export interface StreamFormat {
  readonly mediaType: string;
  /** Returns the text of a message. @param id event id of the message; "" when it has none */
  readonly message: (json: string, index: number, id: string) => string;
  /** Returns the text of the error that ends the stream, with the body of an error response. */
  readonly error: (json: string, index: number) => string;
  /** Returns the text after the last message. */
  readonly end: (count: number) => string;
}

/** A JSON array. It is complete even after an error, which is its last element. */
const jsonArray: StreamFormat = {
  mediaType: "application/json",
  message: (json, index) => (index === 0 ? "[" : ",") + json,
  error: (json, index) => `${index === 0 ? "[" : ","}{"error":${json}}]`,
  end: (count) => (count === 0 ? "[]" : "]"),
};

/** One message per line (https://github.com/ndjson/ndjson-spec). */
export const ndjson: StreamFormat = {
  mediaType: "application/x-ndjson",
  message: (json) => `${json}\n`,
  error: (json) => `{"error":${json}}\n`,
  end: () => "",
};

/**
 * One event per message (https://html.spec.whatwg.org/multipage/server-sent-events.html). Clients reconnect when the
 * connection ends, so an event `end` reports the end of the stream.
 */
export const serverSentEvents: StreamFormat = {
  mediaType: "text/event-stream",
  message: (json, _, id) => `${id === "" ? "" : `id: ${id}\n`}data: ${json}\n\n`,
  error: (json) => `event: error\ndata: ${json}\n\n`,
  end: () => "event: end\ndata:\n\n",
};

const formats = [jsonArray, ndjson, serverSentEvents];

/**
 * Chooses the format of a stream by the Accept header. If that accepts none of the formats, the result is the JSON array: RFC
 * 9110, section 15.5.7, allows that in place of 406.
 */
export function chooseStreamFormat(accept: string | undefined): StreamFormat {
  const weights = parseWeights(accept ?? "*/*");
  const best = chooseBest(formats, ({ mediaType }) => {
    const range = `${mediaType.slice(0, mediaType.indexOf("/"))}/*`;
    return weights.get(mediaType) ?? weights.get(range) ?? weights.get("*/*") ?? 0;
  });
  return best ?? jsonArray;
}
