import { create, type DescField, type Message } from "@bufbuild/protobuf";
import { maxElementsAtOnce } from "../../call/slices.ts";

/** Finds the field that can make a message long: the only repeated field of messages, if there is exactly one. */
export function findList(fields: readonly DescField[]): DescField | undefined {
  const [list, ...others] = fields.filter(
    (field) => field.fieldKind === "list" && field.listKind === "message",
  );
  return others.length === 0 ? list : undefined;
}

/** @throws TypeError for a value that is not an array. protobuf-es takes some of them for an empty list */
export function elementsOf(message: Message, field: DescField): readonly Message[] {
  const value = (message as unknown as Record<string, unknown>)[field.localName];
  if (Array.isArray(value)) return value;
  throw new TypeError(`${field} cannot be encoded: its value is not an array`);
}

/**
 * Serializes a message with a long list: some of the elements at a time, and at the end all other fields. Yields after each
 * part, so that other work can run. Parts in binary protobuf parse as the whole message when they are concatenated
 * (https://protobuf.dev/programming-guides/encoding/#last-one-wins).
 *
 * @param writeList serializes a message without other fields to binary protobuf or JSON
 * @param writeOthers serializes a message without elements, in JSON without the list
 */
export function* inParts(
  message: Message,
  field: DescField,
  writeList: (part: Message) => string | Uint8Array,
  writeOthers: typeof writeList,
): Generator<void, Uint8Array> {
  const elements = elementsOf(message, field);
  const { localName, jsonName, parent } = field;
  const opening = `{${JSON.stringify(jsonName)}:[`;
  const parts: Uint8Array[] = [];
  for (let at = 0; at < elements.length; at += maxElementsAtOnce) {
    const some = elements.slice(at, at + maxElementsAtOnce);
    const part = writeList(Object.assign(create(parent), { [localName]: some }));
    if (typeof part !== "string") parts.push(part);
    else parts.push(Buffer.from((at === 0 ? opening : ",") + part.slice(opening.length, -2)));
    yield;
  }
  const rest = writeOthers({ ...message, [localName]: [] });
  if (typeof rest !== "string") parts.push(rest);
  else parts.push(Buffer.from(rest === "{}" ? "]}" : `],${rest.slice(1)}`));
  return Buffer.concat(parts);
}
