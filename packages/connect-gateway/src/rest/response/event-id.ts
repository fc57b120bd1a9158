import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import type { Annotations } from "../../call/annotations.ts";
import { notPromise } from "../../call/guard.ts";
import { type AnyMessage, getField } from "../binding/message-field.ts";

/** Finds the field that identifies an event. @throws Error when the field is not a string, or the message has several */
export function findEventId(desc: DescMessage, { isEventId }: Annotations): DescField | undefined {
  const [field, another] = desc.fields.filter((each) =>
    notPromise(isEventId(each), "annotations.isEventId"),
  );
  if (another) {
    throw new Error(`${desc.typeName} has two event ids: ${field?.name} and ${another.name}`);
  }
  if (field && (field.fieldKind !== "scalar" || field.scalar !== ScalarType.STRING)) {
    throw new Error(`${desc.typeName}.${field.name} is an event id and must be a string`);
  }
  return field;
}

/** Returns the event id of a message; "" when it has none or the id has a character that events cannot contain. */
export function eventIdOf(message: object, field: DescField | undefined): string {
  if (!field) return "";
  const id = String(getField(message as AnyMessage, field) ?? "");
  return /[\0\r\n]/.test(id) ? "" : id;
}
