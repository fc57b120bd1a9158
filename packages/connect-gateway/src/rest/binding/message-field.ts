import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { Annotations } from "../../call/annotations.ts";
import { notPromise } from "../../call/guard.ts";
import { checkValue } from "../../call/headers.ts";
import { InvalidInput } from "../../http/invalid-input.ts";

/** A message whose type is known only from its descriptor. */
export type AnyMessage = Message & Record<string, unknown>;

export function createMessage(desc: DescMessage): AnyMessage {
  return create(desc) as AnyMessage;
}

/** Returns the value of a field; undefined when the field is not set. */
export function getField(message: AnyMessage, field: DescField): unknown {
  if (field.oneof) {
    const group = message[field.oneof.localName] as { case?: string; value?: unknown };
    return group.case === field.localName ? group.value : undefined;
  }
  // In proto2 and editions, the prototype has the default value.
  return Object.hasOwn(message, field.localName) ? message[field.localName] : undefined;
}

/** Sets a field. @throws InvalidInput when another field of the same oneof is set */
export function setField(message: AnyMessage, field: DescField, value: unknown): void {
  if (!field.oneof) {
    message[field.localName] = value;
    return;
  }
  const group = message[field.oneof.localName] as { case: string | undefined };
  if (group.case !== undefined && group.case !== field.localName) {
    const names = field.oneof.fields.map(({ jsonName }) => jsonName).join(", ");
    throw new InvalidInput(`only one of ${names} may be given`);
  }
  message[field.oneof.localName] = { case: field.localName, value };
}

/** Returns the field of a google.protobuf.*Value wrapper; undefined for other messages. */
export function wrappedField(desc: DescMessage): (DescField & { fieldKind: "scalar" }) | undefined {
  return isWrapperDesc(desc) ? desc.fields[0] : undefined;
}

/** Returns whether protobuf-es stores the unwrapped value of a google.protobuf.*Value message in this field. */
export function holdsBareValue(field: DescField): boolean {
  return field.fieldKind === "message" && !field.oneof && isWrapperDesc(field.message);
}

/** Returns whether protobuf-es stores a google.protobuf.Struct in this field as a JSON object. */
export function holdsPlainObject(field: DescField): boolean {
  return field.message?.typeName === "google.protobuf.Struct";
}

/** Returns whether a message is google.api.HttpBody: content of any media type, sent and read unchanged. */
export function isHttpBody(desc: DescMessage | undefined): desc is DescMessage {
  return desc?.typeName === "google.api.HttpBody";
}

export interface RawContent {
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** The media type of content without a Content-Type (RFC 9110, section 8.3). */
const unknownMediaType = "application/octet-stream";

/** Returns the Content-Type header of content. @throws TypeError when it is not valid in HTTP */
export function contentTypeOf({ contentType }: RawContent): string {
  checkValue("content-type", contentType);
  return contentType || unknownMediaType;
}

/** Returns the fields of a message that JSON contains. */
export function fieldsInJson(desc: DescMessage, { isRpcOnly }: Annotations): readonly DescField[] {
  return desc.fields.filter((field) => !notPromise(isRpcOnly(field), "annotations.isRpcOnly"));
}

/** Returns the fields of a message by JSON name and by proto name. ProtoJSON accepts both. */
export function fieldsByName(
  desc: DescMessage,
  annotations: Annotations,
): ReadonlyMap<string, DescField> {
  const fields = fieldsInJson(desc, annotations);
  const proto = fields.map((field) => [field.name, field] as const);
  const json = fields.map((field) => [field.jsonName, field] as const);
  return new Map([...proto, ...json]);
}
