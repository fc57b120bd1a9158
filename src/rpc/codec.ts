import {
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
import { cacheIfFrozen } from "../http/cache-by-message.ts";
import { type Content, toContent } from "../http/content.ts";
import { inSlices, longList } from "../http/slices.ts";
import { binarySlices, elementsOf, findList, jsonSlices } from "./long-list.ts";

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
type Written = Content<string | Uint8Array>;

/** Options for parsing and serializing ProtoJSON. */
export type JsonOptions = Partial<JsonReadOptions & JsonWriteOptions>;

/**
 * Makes a codec for a method.
 *
 * @param maxMessageBytes the largest message to parse
 * @param jsonOptions for ProtoJSON; undefined for binary protobuf
 */
export function createCodec(
  desc: DescMethodUnary,
  maxMessageBytes: number,
  jsonOptions: JsonOptions | undefined,
): Codec {
  const isBinary = jsonOptions === undefined;
  const limits = validateReadWriteMaxBytes(maxMessageBytes, undefined, undefined);
  const input = createMethodSerializationLookup(desc, undefined, jsonOptions, limits).getI(
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
        if (!isBinary) rejectLongNumbers(data);
        return input.parse(data);
      } catch (error) {
        throw malformed(error);
      }
    },
    write: cacheIfFrozen(make),
  };
}

/** The longest number in JSON, in digits. No protobuf type needs nearly as many. */
const longestNumber = 1_000;

const zero = 0x30;
const nine = 0x39;

/**
 * Rejects JSON with a very long number, quoted or not. protobuf-es parses it as a BigInt, in a time that grows faster
 * than the number of digits.
 *
 * @throws ConnectError invalid_argument
 */
function rejectLongNumbers(json: Uint8Array): void {
  if (json.length <= longestNumber) return;
  let digits = 0;
  for (const byte of json) {
    digits = byte >= zero && byte <= nine ? digits + 1 : 0;
    if (digits > longestNumber) {
      throw new ConnectError(
        `The JSON message has a number with more than ${longestNumber} digits.`,
        Code.InvalidArgument,
      );
    }
  }
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
