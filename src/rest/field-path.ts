import type { DescField, DescMessage } from "@bufbuild/protobuf";
import {
  type AnyMessage,
  createMessage,
  fieldsInJson,
  getField,
  setField,
} from "./message-field.ts";
import { hasOwnJson } from "./well-known-text.ts";

/** Fields from a message down to one inside it. Never empty. */
export type FieldPath = readonly [DescField, ...DescField[]];

/**
 * Follows proto names, such as `book.name`, from a message down.
 *
 * @throws Error when there is no such field, or the way leads through what is no singular message
 */
export function resolveFieldPath(desc: DescMessage, text: string): FieldPath {
  const [first = "", ...rest] = text.split(".");
  const path: [DescField, ...DescField[]] = [findField(desc, first)];
  for (const name of rest) {
    const last = lastField(path);
    const inner = messageBehind(last);
    if (!inner) throw new Error(`${text}: ${last.name} has no fields to go down to`);
    path.push(findField(inner, name));
  }
  return path;
}

/** Finds a field by its proto name. @throws Error when JSON over HTTP has none of this name */
export function findField(desc: DescMessage, name: string): DescField {
  const field = fieldsInJson(desc).find((candidate) => candidate.name === name);
  if (!field) throw new Error(`${desc.typeName} has no field ${JSON.stringify(name)}`);
  return field;
}

/**
 * The message whose fields a path or query can name one by one.
 *
 * @returns undefined for what is repeated or no message, and for well-known types whose JSON is not an
 * object of their fields
 */
export function messageBehind(field: DescField): DescMessage | undefined {
  if (field.fieldKind !== "message") return undefined;
  return hasOwnJson(field.message) ? undefined : field.message;
}

/** The field that a path leads to. */
export function lastField(path: FieldPath): DescField {
  const [first, ...rest] = path;
  return rest.at(-1) ?? first;
}

/** The JSON names of a path, as clients know it. */
export function jsonPath(path: FieldPath): string {
  return path.map(({ jsonName }) => jsonName).join(".");
}

/** Whether one path is the other, or leads to it. */
export function leadsTo(path: readonly DescField[], other: readonly DescField[]): boolean {
  return path.every((field, index) => field === other[index]);
}

/**
 * Makes sure that the message which holds a path's last field is there.
 *
 * @returns that message
 * @throws InvalidInput when a oneof on the way has another field set
 */
export function holderOf(message: AnyMessage, path: FieldPath): AnyMessage {
  let holder = message;
  for (const field of path.slice(0, -1)) {
    holder = (getField(holder, field) as AnyMessage | undefined) ?? addMessage(holder, field);
  }
  return holder;
}

function addMessage(holder: AnyMessage, field: DescField): AnyMessage {
  // What a path goes through is a message, or it would not have been resolved.
  const message = createMessage(field.message as DescMessage);
  setField(holder, field, message);
  return message;
}
