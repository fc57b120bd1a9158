import { type DescField, type DescMessage, type Message, toJson } from "@bufbuild/protobuf";
import { textForms } from "../../http/content/text-forms.ts";
import { holdsBareValue, rejectUnsupported, wrappedField } from "../binding/message-field.ts";
import { scalarWriter, type ValueWriter } from "./scalar-writer.ts";

/**
 * Compiles the writer for a field of a wrapper message that protobuf-es stores unwrapped.
 *
 * @returns undefined for other fields
 */
export function wellKnownFieldWriter(field: DescField): ValueWriter | undefined {
  const scalar = holdsBareValue(field) && field.message && wrappedField(field.message)?.scalar;
  return scalar ? scalarWriter(scalar) : undefined;
}

/**
 * Compiles the writer for a message whose JSON is not an object of its fields.
 *
 * @returns undefined for other messages
 * @throws Error for a message that the transcoder does not support
 * @see https://protobuf.dev/programming-guides/json/
 */
export function wellKnownWriter(desc: DescMessage): ValueWriter | undefined {
  rejectUnsupported(desc);
  const scalar = wrappedField(desc)?.scalar;
  if (scalar) {
    const write = scalarWriter(scalar);
    return (message) => write((message as { value: unknown }).value);
  }
  if (!textForms.has(desc.typeName)) return undefined;
  return (message) => JSON.stringify(toJson(desc, message as Message));
}
