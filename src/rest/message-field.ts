import {
  create,
  type DescField,
  type DescMessage,
  getOption,
  type Message,
} from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { rpc_only } from "../../gen/rules/v1/rules_pb.ts";
import { InvalidInput } from "./invalid-input.ts";

/** A message whose type is known by its descriptor only. */
export type AnyMessage = Message & Record<string, unknown>;

/** Makes an empty message. */
export function createMessage(desc: DescMessage): AnyMessage {
  return create(desc) as AnyMessage;
}

/** The value of a field as it stands, or undefined when the field is not set. */
export function getField(message: AnyMessage, field: DescField): unknown {
  if (field.oneof) {
    const group = message[field.oneof.localName] as { case?: string; value?: unknown };
    return group.case === field.localName ? group.value : undefined;
  }
  // In proto2 and editions a default value shows through from the prototype.
  return Object.hasOwn(message, field.localName) ? message[field.localName] : undefined;
}

/**
 * Sets a field.
 *
 * @throws InvalidInput when another field of the same oneof is set
 */
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

/** The one field of a google.protobuf.*Value wrapper message. */
export function wrappedField(desc: DescMessage): DescField | undefined {
  return isWrapperDesc(desc) ? desc.fields[0] : undefined;
}

/** Whether protobuf-es keeps the bare value of a google.protobuf.*Value message in this field. */
export function holdsBareValue(field: DescField): boolean {
  return field.fieldKind === "message" && !field.oneof && isWrapperDesc(field.message);
}

/** Whether protobuf-es keeps a plain JSON object in place of a google.protobuf.Struct in this field. */
export function holdsPlainObject(field: DescField): boolean {
  return field.message?.typeName === "google.protobuf.Struct";
}

/** The fields of a message that JSON over HTTP has: all but those marked rules.v1.rpc_only. */
export function fieldsInJson(desc: DescMessage): readonly DescField[] {
  return desc.fields.filter((field) => !getOption(field, rpc_only));
}

const byName = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

/** The same by JSON name and by proto name, both of which ProtoJSON accepts. */
export function fieldsByName(desc: DescMessage): ReadonlyMap<string, DescField> {
  return byName.getOrInsertComputed(desc, () => {
    const fields = fieldsInJson(desc);
    const proto = fields.map((field) => [field.name, field] as const);
    const json = fields.map((field) => [field.jsonName, field] as const);
    return new Map([...proto, ...json]);
  });
}
