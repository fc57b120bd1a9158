import {
  type DescMessage,
  type DescMethod,
  type JsonReadOptions,
  type JsonWriteOptions,
  type Message,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  compressedFlag,
  createMethodSerializationLookup,
  validateReadWriteMaxBytes,
} from "@connectrpc/connect/protocol";
import { callError } from "../call/call-error.ts";
import { inSlices, maxElementsAtOnce } from "../call/slices.ts";
import { cacheIfFrozen } from "../http/content/cache-by-message.ts";
import { type Content, toContent } from "../http/content/content.ts";
import { piecesOf } from "../http/exchange/send-pieces.ts";
import { checkFlags } from "./compression.ts";
import { createValueCheck } from "./json-values.ts";
import { type CheckMessage, createBinaryCheck, type Refuse } from "./limits/binary-scan.ts";
import { createJsonCheck } from "./limits/json-scan.ts";
import { binarySlices, elementsOf, findList, jsonSlices } from "./limits/long-list.ts";
import { messageTooLarge } from "./limits/size-limit.ts";
import type { Packed } from "./protocol.ts";

/** A serialized message. */
export type Written = Content<string | Uint8Array>;

/** Unknown fields are ignored, so they need not be kept. */
const binaryOptions = { readUnknownFields: false };

/** Makes the error of a field that is out of its bounds. @param field in proto names */
export type RefuseField = (field: string, description: string) => ConnectError;

const invalidField: RefuseField = (field, description) =>
  callError(`${field}: ${description}`, Code.InvalidArgument);

/**
 * Makes the check that runs before a message is parsed, so that no message is expensive to parse, and no value of a JSON
 * message is dropped or taken for another.
 */
export function createCheck(
  desc: DescMessage,
  isBinary: boolean,
  refuseField: RefuseField = invalidField,
): CheckMessage {
  const refuse: Refuse = (field, description) =>
    field === ""
      ? callError(`The message ${description}.`, Code.InvalidArgument)
      : refuseField(field, description);
  if (isBinary) return createBinaryCheck(desc, refuse);
  const checkLimits = createJsonCheck(desc, refuse);
  const checkValues = createValueCheck(desc, refuse);
  return (data) => {
    if (data.length === 0) throw refuse("", "is empty: without fields, it is {} in JSON");
    checkLimits(data);
    checkValues(data);
  };
}

/** Options for parsing and serializing ProtoJSON. */
export type JsonOptions = Partial<JsonReadOptions & JsonWriteOptions>;

/**
 * Makes a codec that parses the requests of a method and serializes its responses, in binary protobuf or in ProtoJSON.
 *
 * @param maxMessageBytes the largest message to parse
 * @param jsonOptions for ProtoJSON; undefined for binary protobuf
 * @param refuseField makes the error of a field that is out of its bounds
 */
export function createCodec(
  desc: DescMethod,
  maxMessageBytes: number,
  jsonOptions: JsonOptions | undefined,
  refuseField: RefuseField = invalidField,
) {
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
    if (!list || !writeLong || elementsOf(response, list).length <= maxElementsAtOnce) {
      return toContent(mediaType, write(response));
    }
    const written = inSlices(writeLong(response));
    return written instanceof Promise
      ? written.then((data) => toContent(mediaType, data))
      : toContent(mediaType, written);
  };
  return {
    /** @throws ConnectError invalid_argument when the data is malformed */
    read(data: Uint8Array): Message {
      try {
        check(data);
        return input.parse(data);
      } catch (error) {
        throw malformed(error);
      }
    },
    /**
     * Serializes a response. A frozen response is serialized only once. A long response is serialized in several
     * event-loop ticks: the result is a promise then.
     */
    write: cacheIfFrozen(make),
  };
}

/**
 * Returns the error for a message that cannot be parsed: invalid_argument. Connect reports malformed binary messages
 * as internal, as if the server were at fault.
 */
function malformed(error: unknown): ConnectError {
  const fault = ConnectError.from(error, Code.InvalidArgument);
  return fault.code === Code.Internal ? callError(fault.rawMessage, Code.InvalidArgument) : fault;
}

/** The length of an envelope's prefix, in bytes: one for flags, four for the length of the message. */
export const prefixBytes = 5;

/**
 * Returns the single message of a call from a body of enveloped messages.
 *
 * @throws ConnectError unimplemented when the body does not have exactly one message, as gRPC requires
 * (https://grpc.github.io/grpc/core/md_doc_statuscodes.html); invalid_argument when the body ends within the message, or
 * its flags are unknown; resource_exhausted when the message is larger than `maxBytes`
 */
export function openEnvelope(
  body: Uint8Array,
  maxBytes: number,
  { methodKind }: DescMethod,
): Packed<Uint8Array> {
  if (body.length === 0) throw notOne("missing", methodKind);
  const length = messageSize(body);
  if (length === undefined) throw incomplete();
  if (length > maxBytes) throw messageTooLarge(length, maxBytes);
  const end = prefixBytes + length;
  if (body.length < end) throw incomplete();
  if (body.length > end) throw notOne("received extra", methodKind);
  return {
    data: body.subarray(prefixBytes),
    isCompressed: ((body[0] ?? 0) & compressedFlag) !== 0,
  };
}

/** Returns the length of the first message, in bytes; undefined when the prefix is incomplete. */
export function messageLength(body: Uint8Array): number | undefined {
  if (body.length < prefixBytes) return undefined;
  return new DataView(body.buffer, body.byteOffset, prefixBytes).getUint32(1);
}

/** Does the same for the message of a unary call. @throws ConnectError invalid_argument when its flags are unknown */
export function messageSize(body: Uint8Array): number | undefined {
  checkFlags(body[0] ?? 0);
  return messageLength(body);
}

/** Wraps a message, or the end of a stream, in an envelope. @param flags 0 to 255 */
export function envelope(flags: number, data: string | Uint8Array): Buffer<ArrayBuffer> {
  const length = Buffer.byteLength(data);
  const bytes = Buffer.allocUnsafe(prefixBytes + length);
  writePrefix(bytes, flags, length);
  if (typeof data === "string") bytes.write(data, prefixBytes);
  else bytes.set(data, prefixBytes);
  return bytes;
}

/** Does the same in pieces, for a message that is too long to be copied for each response. */
export function* envelopeInPieces(flags: number, data: Uint8Array): Generator<Uint8Array> {
  const prefix = Buffer.allocUnsafe(prefixBytes);
  writePrefix(prefix, flags, data.length);
  yield prefix;
  yield* piecesOf(data);
}

function writePrefix(bytes: Buffer, flags: number, length: number): void {
  bytes.writeUInt8(flags);
  bytes.writeUInt32BE(length, 1);
}

/** Returns the flags of a message's envelope. */
export function flagsOf({ isCompressed }: Packed): number {
  return isCompressed ? compressedFlag : 0;
}

export function incomplete(): ConnectError {
  return callError("protocol error: incomplete envelope", Code.InvalidArgument);
}

function notOne(what: "missing" | "received extra", kind: DescMethod["methodKind"]): ConnectError {
  const method = `${kind.replace("_", "-")} method`;
  return callError(`protocol error: ${what} input message for ${method}`, Code.Unimplemented);
}
