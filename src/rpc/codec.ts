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
import { type Content, toContent } from "../http/content.ts";
import { keptIfFrozen } from "../http/kept.ts";
import { inSlices, longList } from "../http/slices.ts";
import { binarySlices, elementsOf, findList, jsonSlices } from "./long-list.ts";

/** Reads the requests of a method and writes its answers, in one of the two forms of protobuf. */
export interface Codec {
  /** @throws ConnectError invalid_argument */
  read(data: Uint8Array): Message;
  /** Writes a response, a frozen one only once. @returns a promise for a long response, which is written in slices */
  write(answer: Message): Written | Promise<Written>;
}

/** What was written. */
type Written = Content<string | Uint8Array>;

/** Options of ProtoJSON, both ways. */
export type JsonOptions = Partial<JsonReadOptions & JsonWriteOptions>;

/** @param jsonOptions for JSON; for the binary form when absent */
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
    ? (answer: Message) => toBinary(desc.output, answer)
    : (answer: Message) => toJsonString(desc.output, answer, jsonOptions);
  const list = findList(desc.output);
  const writeLong = list && (isBinary ? binarySlices(list) : jsonSlices(list, jsonOptions));
  const make = (answer: Message): Written | Promise<Written> => {
    if (!list || !writeLong || elementsOf(answer, list).length <= longList) {
      return toContent(mediaType, write(answer));
    }
    const written = inSlices(writeLong(answer));
    return written instanceof Promise
      ? written.then((data) => toContent(mediaType, data))
      : toContent(mediaType, written);
  };
  return {
    read(data) {
      try {
        if (!isBinary) refuseLongNumbers(data);
        return input.parse(data);
      } catch (error) {
        throw malformed(error);
      }
    },
    write: keptIfFrozen(make),
  };
}

/** Longest number in JSON, in digits: far more than any type of protobuf holds. */
const longestNumber = 1_000;

const zero = 0x30;
const nine = 0x39;

/**
 * Rejects JSON with a very long number, in quotes or not. protobuf-es makes a BigInt of it, whose cost
 * grows faster than the number of digits.
 *
 * @throws ConnectError invalid_argument
 */
function refuseLongNumbers(json: Uint8Array): void {
  if (json.length <= longestNumber) return;
  let digits = 0;
  for (const byte of json) {
    digits = byte >= zero && byte <= nine ? digits + 1 : 0;
    if (digits > longestNumber) {
      throw new ConnectError(
        `The message has a number of more than ${longestNumber} digits.`,
        Code.InvalidArgument,
      );
    }
  }
}

/** Connect takes a message that can't be read for the server's own fault where it is binary. */
export function malformed(error: unknown): ConnectError {
  const told = ConnectError.from(error, Code.InvalidArgument);
  return told.code === Code.Internal
    ? new ConnectError(told.rawMessage, Code.InvalidArgument)
    : told;
}
