import type { JsonObject } from "@bufbuild/protobuf";
import { type DescEnum, type DescField, type DescMessage, fromJson } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";

/** How a language writes the values of a message. */
export interface Writer {
  readonly integer: (value: bigint, field: DescField) => string;
  readonly boolean: (value: boolean) => string;
  readonly enumValue: (desc: DescEnum, number: number) => string;
  /** Writes a list of values that are written already. */
  readonly list: (values: readonly string[], field: DescField) => string;
  readonly message: (desc: DescMessage, fields: readonly WrittenField[]) => string;
}

/** A field and its value in the language. */
export interface WrittenField {
  readonly field: DescField;
  readonly value: string;
  /** The values of a list; undefined if the field is not a list. */
  readonly elements?: readonly string[];
}

/** Writes a message, given as ProtoJSON, in a language. Strings are the same in all of them. */
export function writeMessage(desc: DescMessage, json: JsonObject, writer: Writer): string {
  return writeReflected(reflect(desc, fromJson(desc, json)), writer);
}

function writeReflected(message: ReflectMessage, writer: Writer): string {
  const written = message.fields
    .filter((field) => message.isSet(field))
    .map((field) => writeField(message, field, writer));
  return writer.message(message.desc, written);
}

function writeField(message: ReflectMessage, field: DescField, writer: Writer): WrittenField {
  if (field.fieldKind !== "list") {
    return { field, value: writeValue(field, message.get(field), writer) };
  }
  const elements = [...message.get(field)].map((value) => writeValue(field, value, writer));
  return { field, value: writer.list(elements, field), elements };
}

/** @throws Error for a value that samples cannot have, such as bytes */
function writeValue(field: DescField, value: unknown, writer: Writer): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "boolean") return writer.boolean(value);
  if (field.enum && typeof value === "number") return writer.enumValue(field.enum, value);
  if (typeof value === "number" || typeof value === "bigint") {
    return writer.integer(BigInt(value), field);
  }
  if (field.message) return writeReflected(value as ReflectMessage, writer);
  throw new Error(`${field}: samples cannot have such a value`);
}
