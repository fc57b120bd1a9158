import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { inSlices, maxElementsAtOnce } from "../../call/slices.ts";
import { cacheIfFrozen } from "../../http/content/cache-by-message.ts";
import { type Content, piecesToContent, toContent } from "../../http/content/content.ts";
import {
  type AnyMessage,
  contentTypeOf,
  getField,
  isHttpBody,
  type RawContent,
} from "../binding/message-field.ts";
import { pieceWriter } from "../json/list-writer.ts";
import {
  fieldWriter,
  type JsonWriters,
  singleWriter,
  unencodable,
  type ValueWriter,
} from "../json/writer.ts";
import { findEventId } from "./event-id.ts";

export interface ResponseWriter {
  /** Returns content to send unchanged; undefined unless the response is a google.api.HttpBody. */
  readonly raw: ((message: unknown) => RawContent) | undefined;
  /** Returns the JSON of a response. Cached like its content. */
  readonly text: (message: object) => string;
  readonly eventId: DescField | undefined;
  /** Returns the content, cached as long as a frozen message is in memory; a promise for a long list, which is written in slices. */
  content(message: object): Content | Promise<Content>;
}

/** Compiles the writer for the responses of a route. @param field the response field in the body; undefined for all */
export function compileResponseWriter(
  writers: JsonWriters,
  output: DescMessage,
  field: DescField | undefined,
): ResponseWriter {
  const desc = field ? (field.fieldKind === "message" ? field.message : undefined) : output;
  const raw = isHttpBody(desc) ? rawReader(field) : undefined;
  const json = field ? bodyWriter(writers, field) : writers.message(output);
  const whole = (message: object) => toContent("application/json", json(message));
  const make = raw
    ? (message: object) => {
        const content = raw(message);
        return toContent(contentTypeOf(content), content.data);
      }
    : field?.fieldKind === "list" && field.listKind === "message"
      ? listContent(writers, field, whole)
      : whole;
  return {
    raw,
    text: cacheIfFrozen(json),
    eventId: field ? undefined : findEventId(output, writers.style.annotations),
    content: cacheIfFrozen(make),
  };
}

/** Returns a function that writes long lists in slices. @param short writes other lists */
function listContent(
  writers: JsonWriters,
  field: DescField,
  short: (message: object) => Content,
): (message: object) => Content | Promise<Content> {
  const write = pieceWriter(singleWriter(writers, field));
  function* content(list: readonly object[]) {
    return piecesToContent("application/json", yield* write(list));
  }
  return (message) => {
    const list = getField(message as AnyMessage, field);
    const isLong = Array.isArray(list) && list.length > maxElementsAtOnce;
    return isLong ? inSlices(content(list)) : short(message);
  };
}

const noContent: RawContent = { contentType: "", data: new Uint8Array(0) };

function rawReader(field: DescField | undefined): (message: unknown) => RawContent {
  if (!field) return (message) => message as RawContent;
  return (message) =>
    (getField(message as AnyMessage, field) as RawContent | undefined) ?? noContent;
}

/** Returns a writer for the field in the response body. A field that is not set is `null`: a body must be JSON. */
function bodyWriter(writers: JsonWriters, field: DescField): ValueWriter {
  const write = fieldWriter(writers, field);
  return (message) => {
    const value = getField(message as AnyMessage, field);
    try {
      return value === undefined ? "null" : write(value);
    } catch (error) {
      throw unencodable(error, field);
    }
  };
}
