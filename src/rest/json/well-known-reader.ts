import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { textForms } from "../../http/content/text-forms.ts";
import { InvalidInput } from "../../http/invalid-input.ts";
import {
  createMessage,
  holdsBareValue,
  rejectUnsupported,
  wrappedField,
} from "../binding/message-field.ts";
import { readText, scalarReader, type ValueReader } from "./scalar-reader.ts";

/**
 * Compiles the reader for a field of a wrapper message that protobuf-es stores unwrapped.
 *
 * @returns undefined for other fields
 */
export function wellKnownFieldReader(field: DescField): ValueReader | undefined {
  if (!field.message || !holdsBareValue(field)) return undefined;
  return wrappedReader(field.message);
}

/**
 * Compiles the reader for a message whose JSON is not an object of its fields.
 *
 * @returns undefined for other messages
 * @throws Error for a message that the transcoder does not support
 * @see https://protobuf.dev/programming-guides/json/
 */
export function wellKnownReader(desc: DescMessage): ValueReader | undefined {
  rejectUnsupported(desc);
  const form = textForms.get(desc.typeName);
  if (form) {
    const reason = `must be ${form.expected}`;
    return (cursor) => {
      const message = form.parse(readText(cursor, reason), desc);
      if (!message) throw new InvalidInput(reason);
      return message;
    };
  }
  const readWrapped = wrappedReader(desc);
  return (
    readWrapped && ((cursor) => Object.assign(createMessage(desc), { value: readWrapped(cursor) }))
  );
}

function wrappedReader(desc: DescMessage): ValueReader | undefined {
  const scalar = wrappedField(desc)?.scalar;
  return scalar && scalarReader(scalar, false);
}
