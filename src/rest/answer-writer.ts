import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { type Content, piecesToContent, toContent } from "../http/content.ts";
import { keptIfFrozen } from "../http/kept.ts";
import { inSlices, longList } from "../http/slices.ts";
import { eventIdOf, findEventId } from "./event-id.ts";
import { isHttpBody, type RawContent, unknownMediaType } from "./http-body.ts";
import { pieceWriter } from "./json-list-writer.ts";
import { fieldWriter, type JsonWriters, singleWriter } from "./json-message-writer.ts";
import type { ValueWriter } from "./json-scalar-writer.ts";
import { type AnyMessage, getField } from "./message-field.ts";

/** Writes the answers of one route. */
export interface AnswerWriter {
  /** Content that is sent as it is, with a media type of its own, if the answer is google.api.HttpBody. */
  readonly raw: ((message: unknown) => RawContent) | undefined;
  /** The JSON of an answer, which is kept like its content. */
  readonly text: (message: object) => string;
  /** What an answer that is one of many is known by; empty when by nothing. */
  eventId(message: object): string;
  /**
   * The content of an answer. A message that is frozen is not going to change, so its content is made
   * once and kept for as long as the message is: services can hold on to a large answer that way.
   *
   * @returns a promise when it takes long: it is written in slices then
   */
  content(message: object): Content | Promise<Content>;
}

/**
 * Compiles the writer for a route's answers.
 *
 * @param field the response field that is the response body; undefined for the whole response
 */
export function compileAnswerWriter(
  writers: JsonWriters,
  output: DescMessage,
  field: DescField | undefined,
): AnswerWriter {
  const desc = field ? (field.fieldKind === "message" ? field.message : undefined) : output;
  const raw = isHttpBody(desc) ? rawReader(field) : undefined;
  const json = field ? bodyWriter(writers, field) : writers.message(output);
  const whole = (message: object) => toContent("application/json", json(message));
  const make = raw
    ? (message: object) => {
        const { contentType, data } = raw(message);
        return toContent(contentType || unknownMediaType, data);
      }
    : field?.fieldKind === "list" && field.listKind === "message"
      ? listContent(writers, field, whole)
      : whole;
  const eventId = field ? undefined : findEventId(output);
  return {
    raw,
    text: keptIfFrozen(json),
    eventId: (message) => eventIdOf(message, eventId),
    content: keptIfFrozen(make),
  };
}

/** Makes the content of a list, in slices if it is long. @param short makes that of others */
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
    const list = getField(message as AnyMessage, field) as readonly object[];
    return list.length > longList ? inSlices(content(list)) : short(message);
  };
}

const noContent: RawContent = { contentType: "", data: new Uint8Array(0) };

function rawReader(field: DescField | undefined): (message: unknown) => RawContent {
  if (!field) return (message) => message as RawContent;
  return (message) =>
    (getField(message as AnyMessage, field) as RawContent | undefined) ?? noContent;
}

/** A response body that is not set is `null`: it has to be something, and that is what JSON has. */
function bodyWriter(writers: JsonWriters, field: DescField): ValueWriter {
  const write = fieldWriter(writers, field);
  return (message) => {
    const value = getField(message as AnyMessage, field);
    return value === undefined ? "null" : write(value);
  };
}
