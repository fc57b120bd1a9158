import { cacheControl, varyOn } from "../../http/content/caching.ts";
import { type ErrorResponse, errorBody } from "../../http/error-response.ts";
import type { HttpContext } from "../../http/http-context.ts";
import { unbuffered } from "../../http/send-error.ts";
import type { StreamOutput } from "../../http/send-stream.ts";
import { unknownMediaType } from "../binding/http-body.ts";
import { chooseStreamFormat } from "./stream-format.ts";
import type { ResponseWriter } from "./writer.ts";

/** Reports an error, and calls `send` with the error to send. */
type Fail = (error: unknown, send: (error: ErrorResponse) => void) => void;

/** Makes the output of a stream of JSON, or of raw data if the method sends that. */
export function restOutput(context: HttpContext, writer: ResponseWriter, fail: Fail): StreamOutput {
  return writer.raw ? rawOutput(context, writer.raw, fail) : jsonOutput(context, writer, fail);
}

function jsonOutput(
  context: HttpContext,
  { text, eventId }: ResponseWriter,
  fail: Fail,
): StreamOutput {
  const { response } = context;
  const { mediaType, message, error, end } = chooseStreamFormat(response.req.headers.accept);
  return {
    begin() {
      const headers = headersOf(context, mediaType);
      headers.vary = varyOn("accept", response, headers);
      response.writeHead(200, headers);
    },
    encode: (value, index) => message(text(value), index, eventId(value)),
    succeed(count) {
      const text = end(count);
      // No empty text: over HTTP/2, Node 26.10 would send freed memory in place of the text before it.
      if (text === "") response.end();
      else response.end(text);
    },
    fail: (fault, count) => fail(fault, (sent) => response.end(error(errorBody(sent), count))),
  };
}

function rawOutput(
  context: HttpContext,
  raw: NonNullable<ResponseWriter["raw"]>,
  fail: Fail,
): StreamOutput {
  const { response } = context;
  return {
    begin(first) {
      const mediaType = (first && raw(first).contentType) || unknownMediaType;
      response.writeHead(200, headersOf(context, mediaType));
    },
    encode: (value) => raw(value).data,
    succeed: () => void response.end(),
    // Raw data has no place for an error.
    fail: (fault) => fail(fault, () => response.destroy()),
  };
}

function headersOf(
  { response, headersSet }: HttpContext,
  mediaType: string,
): Record<string, string> {
  return {
    ...cacheControl(response),
    ...headersSet,
    "content-type": mediaType,
    [unbuffered[0].toLowerCase()]: unbuffered[1],
  };
}
