import {
  type DescMessage,
  type DescMethodUnary,
  type JsonReadOptions,
  type JsonWriteOptions,
  type Message,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  createMethodSerializationLookup,
  validateReadWriteMaxBytes,
} from "@connectrpc/connect/protocol";
import { cacheIfFrozen } from "../http/content/cache-by-message.ts";
import { type Content, toContent } from "../http/content/content.ts";
import { inSlices, longList } from "../http/exchange/slices.ts";
import { type CheckMessage, createBinaryCheck, type Refuse } from "./limits/binary-scan.ts";
import { createJsonCheck } from "./limits/json-scan.ts";
import { binarySlices, elementsOf, findList, jsonSlices } from "./limits/long-list.ts";

/** Parses the requests of a method and serializes its responses, in binary protobuf or in ProtoJSON. */
export interface Codec {
  /** @throws ConnectError invalid_argument when the data is malformed */
  read(data: Uint8Array): Message;
  /**
   * Serializes a response. A frozen response is serialized only once. A long response is serialized in several
   * event-loop ticks: the result is a promise then.
   */
  write(response: Message): Written | Promise<Written>;
}

/** A serialized message. */
export type Written = Content<string | Uint8Array>;

/** Unknown fields are ignored, so they need not be kept. */
export const binaryOptions = { readUnknownFields: false };

/** Makes the error of a field that is out of its bounds. @param field in proto names */
export type RefuseField = (field: string, description: string) => ConnectError;

const invalidField: RefuseField = (field, description) =>
  new ConnectError(`${field}: ${description}`, Code.InvalidArgument);

/** Makes the check that runs before a message is parsed, so that no message is expensive to parse. */
export function createCheck(
  desc: DescMessage,
  isBinary: boolean,
  refuseField: RefuseField = invalidField,
): CheckMessage {
  const refuse: Refuse = (field, description) =>
    field === ""
      ? new ConnectError(`The message ${description}.`, Code.InvalidArgument)
      : refuseField(field, description);
  return (isBinary ? createBinaryCheck : createJsonCheck)(desc, refuse);
}

/** Options for parsing and serializing ProtoJSON. */
export type JsonOptions = Partial<JsonReadOptions & JsonWriteOptions>;

/**
 * Makes a codec for a method.
 *
 * @param maxMessageBytes the largest message to parse
 * @param jsonOptions for ProtoJSON; undefined for binary protobuf
 * @param refuseField makes the error of a field that is out of its bounds
 */
export function createCodec(
  desc: DescMethodUnary,
  maxMessageBytes: number,
  jsonOptions: JsonOptions | undefined,
  refuseField: RefuseField = invalidField,
): Codec {
  const isBinary = jsonOptions === undefined;
  const check = createCheck(desc.input, isBinary, refuseField);
  const limits = validateReadWriteMaxBytes(maxMessageBytes, undefined, undefined);
  const input = createMethodSerializationLookup(desc, binaryOptions, jsonOptions, limits).getI(
    isBinary,
  );
  const mediaType = isBinary ? "application/proto" : "application/json";
  const write = isBinary
    ? (response: Message) => toBinary(desc.output, response)
    : (response: Message) => toJsonString(desc.output, response, jsonOptions);
  const list = findList(desc.output);
  const writeLong = list && (isBinary ? binarySlices(list) : jsonSlices(list, jsonOptions));
  const make = (response: Message): Written | Promise<Written> => {
    if (!list || !writeLong || elementsOf(response, list).length <= longList) {
      return toContent(mediaType, write(response));
    }
    const written = inSlices(writeLong(response));
    return written instanceof Promise
      ? written.then((data) => toContent(mediaType, data))
      : toContent(mediaType, written);
  };
  return {
    read(data) {
      try {
        check(data);
        return input.parse(data);
      } catch (error) {
        throw malformed(error);
      }
    },
    write: cacheIfFrozen(make),
  };
}

/**
 * Returns the error for a message that cannot be parsed: invalid_argument. Connect reports malformed binary messages
 * as internal, as if the server were at fault.
 */
export function malformed(error: unknown): ConnectError {
  const fault = ConnectError.from(error, Code.InvalidArgument);
  return fault.code === Code.Internal
    ? new ConnectError(fault.rawMessage, Code.InvalidArgument)
    : fault;
}
