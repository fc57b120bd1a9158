import {
  type DescMessage,
  type DescMethod,
  fromBinary,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { compressedFlag } from "@connectrpc/connect/protocol";
import { callError } from "../call/call-error.ts";
import { inSlices, maxElementsAtOnce } from "../call/slices.ts";
import { cacheIfFrozen } from "../http/content/cache-by-message.ts";
import { type Content, toContent } from "../http/content/content.ts";
import { piecesOf } from "../http/exchange/send-pieces.ts";
import { InvalidInput, MalformedJson } from "../http/invalid-input.ts";
import { checkFlags } from "./compression.ts";
import { createBinaryCheck } from "./limits/binary-scan.ts";
import {
  binarySlices,
  elementsOf,
  findList,
  jsonSlices,
  type ListField,
  type SliceWriter,
} from "./limits/long-list.ts";
import { messageTooLarge } from "./limits/size-limit.ts";
import type { Packed } from "./protocol.ts";

/** A serialized message. */
export type Written = Content<string | Uint8Array>;

/** Unknown fields are ignored, so they need not be kept. */
const binaryOptions = { readUnknownFields: false };

/** Reads and writes messages as ProtoJSON. */
export interface ProtoJson {
  /** @throws InvalidInput that names the field in proto names */
  decodeJson(desc: DescMessage, json: Uint8Array): Message;
  encodeJson(desc: DescMessage, message: Message): string;
}

/** Makes the error of a field that has no valid value. @param field in proto names */
export type RefuseField = (field: string, description: string) => ConnectError;

const invalidField: RefuseField = (field, description) =>
  callError(`${field}: ${description}`, Code.InvalidArgument);

/** Reads a message. @throws ConnectError invalid_argument when it is malformed, or expensive to read */
export type ReadMessage = (data: Uint8Array) => Message;

/** Makes the function that reads messages of a type in binary protobuf. */
export function binaryReader(
  desc: DescMessage,
  refuseField: RefuseField = invalidField,
): ReadMessage {
  const check = createBinaryCheck(desc);
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

/** Makes the function that reads messages of a type in ProtoJSON. */
export function jsonReader(
  desc: DescMessage,
  json: ProtoJson,
  refuseField: RefuseField = invalidField,
): ReadMessage {
  return (data) => {
    try {
      if (data.length === 0) {
        throw new InvalidInput("is empty: without fields, it is {} in JSON");
      }
      return json.decodeJson(desc, data);
    } catch (error) {
      throw error instanceof InvalidInput ? refusal(error, refuseField) : error;
    }
  };
}

function refusal(error: InvalidInput, refuseField: RefuseField): ConnectError {
  const { path, reason } = error;
  if (path !== "") return refuseField(path, reason);
  const description = error instanceof MalformedJson ? `is ${reason}` : reason;
  return callError(`The message ${description}.`, Code.InvalidArgument);
}

/** Reads the requests of a method and serializes its responses. */
export interface Codec {
  readonly read: ReadMessage;
  /**
   * Serializes a response. A frozen response is serialized only once. A long response is serialized in several
   * event-loop ticks: the result is a promise then.
   */
  readonly write: (response: Message) => Written | Promise<Written>;
}

/** Makes the codec of a method for binary protobuf. */
export function binaryCodec({ input, output }: DescMethod, refuseField?: RefuseField): Codec {
  const write = createWriter(output, "application/proto", binarySlices, (response) =>
    toBinary(output, response),
  );
  return { read: binaryReader(input, refuseField), write };
}

/** Makes the codec of a method for ProtoJSON. */
export function jsonCodec(
  { input, output }: DescMethod,
  json: ProtoJson,
  refuseField?: RefuseField,
): Codec {
  const writeJson = (response: Message) => json.encodeJson(output, response);
  const write = createWriter(
    output,
    "application/json",
    (list) => jsonSlices(list, writeJson),
    writeJson,
  );
  return { read: jsonReader(input, json, refuseField), write };
}

function createWriter(
  output: DescMessage,
  mediaType: string,
  slicesOf: (list: ListField) => SliceWriter,
  writeShort: (response: Message) => string | Uint8Array,
): Codec["write"] {
  const list = findList(output);
  const writeLong = list && slicesOf(list);
  return cacheIfFrozen((response) => {
    if (!list || !writeLong || elementsOf(response, list).length <= maxElementsAtOnce) {
      return toContent(mediaType, writeShort(response));
    }
    const written = inSlices(writeLong(response));
    return written instanceof Promise
      ? written.then((data) => toContent(mediaType, data))
      : toContent(mediaType, written);
  });
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
