import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";
import type { Annotations } from "../../call/annotations.ts";
import {
  type AnyMessage,
  createMessage,
  fieldsInJson,
  getField,
  setField,
} from "./message-field.ts";

/** The fields from a message down to a field inside it. Never empty. */
export type FieldPath = readonly DescField[];

/** Resolves a path of proto names. @throws Error when a field does not exist, or one before the last is not a singular message */
export function resolveFieldPath(
  desc: DescMessage,
  text: string,
  annotations: Annotations,
): FieldPath {
  const path: DescField[] = [];
  let holder: DescMessage | undefined = desc;
  for (const name of text.split(".")) {
    const last = path.at(-1)?.name;
    if (!holder) throw new Error(`${text}: ${last} has no fields that a path can name`);
    const field = findField(holder, name, annotations);
    path.push(field);
    holder = messageBehind(field);
  }
  return path;
}

/** Finds a field by its proto name. @throws Error when it does not exist or JSON leaves it out */
export function findField(desc: DescMessage, name: string, annotations: Annotations): DescField {
  const field = fieldsInJson(desc, annotations).find((candidate) => candidate.name === name);
  if (!field) throw new Error(`${desc.typeName} has no field ${JSON.stringify(name)}`);
  return field;
}

/**
 * Returns the message type of a field if a path or query can name the fields inside it: if it is a singular message, and its
 * JSON an object of its fields.
 */
export function messageBehind(field: DescField): DescMessage | undefined {
  if (field.fieldKind !== "message") return undefined;
  return hasCustomJsonRepresentation(field.message) ? undefined : field.message;
}

export function lastField(path: FieldPath): DescField {
  return path.at(-1) as DescField;
}

/** Returns a path in JSON names, as clients write it. */
export function jsonPath(path: FieldPath): string {
  return path.map(({ jsonName }) => jsonName).join(".");
}

/** Returns the message that has a path's last field, and creates those on the way. @throws InvalidInput for a second field of a oneof */
export function holderOf(message: AnyMessage, path: FieldPath): AnyMessage {
  let holder = message;
  for (const field of path.slice(0, -1)) {
    let inner = getField(holder, field) as AnyMessage | undefined;
    if (!inner) {
      // Every field before the last is a message: resolving the path has checked that.
      inner = createMessage(field.message as DescMessage);
      setField(holder, field, inner);
    }
    holder = inner;
  }
  return holder;
}
