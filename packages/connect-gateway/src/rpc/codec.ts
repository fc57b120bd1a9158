import {
  type DescField,
  type DescMessage,
  type DescMethod,
  fromBinary,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { Annotations } from "../call/annotations.ts";
import { callError } from "../call/call-error.ts";
import { inSlices, maxElementsAtOnce } from "../call/slices.ts";
import { cacheIfFrozen } from "../http/content/cache-by-message.ts";
import { type Content, toContent } from "../http/content/content.ts";
import { InvalidInput, MalformedJson } from "../http/invalid-input.ts";
import { createBinaryCheck } from "./limits/binary-scan.ts";
import { elementsOf, findList, inParts } from "./limits/long-list.ts";

export type Written = Content<string | Uint8Array>;

/** Unknown fields are ignored, so they need not be kept. */
const binaryOptions = { readUnknownFields: false };

export interface ProtoJson {
  /** What holds for messages in the binary format too. */
  readonly style: { readonly annotations: Annotations };
  /** @throws InvalidInput that names the field in proto names */
  decodeJson(desc: DescMessage, json: Uint8Array): Message;
  encodeJson(desc: DescMessage, message: Message): string;
  fieldsWriter(fields: readonly DescField[]): (message: Message) => string;
}

/** Makes the error of a field that has no valid value. @param field in proto names */
export type RefuseField = (field: string, description: string) => ConnectError;

const invalidField: RefuseField = (field, description) =>
  callError(`${field}: ${description}`, Code.InvalidArgument);

/** Reads a message. @throws ConnectError invalid_argument when it is malformed, or expensive to read */
export type ReadMessage = (data: Uint8Array) => Message;

export function binaryReader(
  desc: DescMessage,
  annotations?: Annotations,
  refuseField: RefuseField = invalidField,
): ReadMessage {
  const check = createBinaryCheck(desc, annotations);
  return (data) => {
    try {
      check(data);
      return fromBinary(desc, data, binaryOptions);
    } catch (error) {
      if (error instanceof InvalidInput) throw refusal(error, refuseField);
      const { message } = error as Error;
      throw callError(`parse binary: ${message}`, Code.InvalidArgument);
    }
  };
}

export function jsonReader(
  desc: DescMessage,
  json: ProtoJson,
  refuseField: RefuseField = invalidField,
): ReadMessage {
  return (data) => {
    try {
      if (data.length === 0) throw new InvalidInput("is empty: without fields, it is {} in JSON");
      return json.decodeJson(desc, data);
    } catch (error) {
      throw error instanceof InvalidInput ? refusal(error, refuseField) : error;
    }
  };
}

function refusal(error: InvalidInput, refuseField: RefuseField): ConnectError {
  const { path, message } = error;
  if (path !== "") return refuseField(path, message);
  const description = error instanceof MalformedJson ? `is ${message}` : message;
  return callError(`The message ${description}.`, Code.InvalidArgument);
}

/** Reads the requests of a method and serializes its responses. */
export interface Codec {
  readonly read: ReadMessage;
  /** Serializes a response; a frozen one only once. The result is a promise for a long one, which takes several event-loop ticks. */
  readonly write: (response: Message) => Written | Promise<Written>;
}

export function binaryCodec(
  { input, output }: DescMethod,
  annotations?: Annotations,
  refuseField?: RefuseField,
): Codec {
  const whole = (message: Message) => toBinary(output, message);
  const write = createWriter("application/proto", output.fields, whole, () => whole);
  return { read: binaryReader(input, annotations, refuseField), write };
}

export function jsonCodec(
  { input, output }: DescMethod,
  json: ProtoJson,
  refuseField?: RefuseField,
): Codec {
  const { isRpcOnly } = json.style.annotations;
  const whole = (message: Message) => json.encodeJson(output, message);
  const isObject = !hasCustomJsonRepresentation(output);
  const fields = output.fields.filter((field) => isObject && !isRpcOnly(field));
  const write = createWriter("application/json", fields, whole, json.fieldsWriter);
  return { read: jsonReader(input, json, refuseField), write };
}

function createWriter(
  mediaType: string,
  fields: readonly DescField[],
  whole: (message: Message) => string | Uint8Array,
  writerOf: (fields: readonly DescField[]) => typeof whole,
): Codec["write"] {
  const list = findList(fields);
  if (!list) return cacheIfFrozen((response) => toContent(mediaType, whole(response)));
  const writeList = writerOf([list]);
  const writeOthers = writerOf(fields.filter((field) => field !== list));
  return cacheIfFrozen((response) => {
    if (elementsOf(response, list).length <= maxElementsAtOnce) {
      return toContent(mediaType, whole(response));
    }
    const written = inSlices(inParts(response, list, writeList, writeOthers));
    return written instanceof Promise
      ? written.then((data) => toContent(mediaType, data))
      : toContent(mediaType, written);
  });
}
