import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { maxElementsAtOnce } from "../../call/slices.ts";

/** A repeated field of messages. */
export type ListField = DescField & { readonly fieldKind: "list"; readonly parent: DescMessage };

/** Finds the field that can make a message long: the only repeated field of messages, if there is exactly one. */
export function findList(desc: DescMessage): ListField | undefined {
  const [list, ...others] = desc.fields.filter(
    (field) => field.fieldKind === "list" && field.listKind === "message",
  );
  return others.length === 0 ? (list as ListField | undefined) : undefined;
}

export function elementsOf(message: Message, { localName }: ListField): readonly Message[] {
  return (message as unknown as Record<string, readonly Message[]>)[localName] ?? [];
}

/**
 * Serializes a message with a long list: some of the elements at a time, and at the end all other fields. Yields after each
 * part, so that other work can run. Parts in binary protobuf parse as the whole message when they are concatenated
 * (https://protobuf.dev/programming-guides/encoding/#last-one-wins).
 *
 * @param write serializes a message to binary protobuf, or to JSON without default values
 */
export function* inParts(
  message: Message,
  field: ListField,
  write: (part: Message) => string | Uint8Array,
): Generator<void, Uint8Array> {
  const elements = elementsOf(message, field);
  const { localName, jsonName, parent } = field;
  const opening = `{${JSON.stringify(jsonName)}:[`;
  const parts: Uint8Array[] = [];
  for (let at = 0; at < elements.length; at += maxElementsAtOnce) {
    const some = elements.slice(at, at + maxElementsAtOnce);
    const part = write(Object.assign(create(parent), { [localName]: some }));
    if (typeof part !== "string") parts.push(part);
    else parts.push(Buffer.from((at === 0 ? opening : ",") + part.slice(opening.length, -2)));
    yield;
  }
  const rest = write({ ...message, [localName]: [] });
  if (typeof rest !== "string") parts.push(rest);
  else parts.push(Buffer.from(rest === "{}" ? "]}" : `],${rest.slice(1)}`));
  return Buffer.concat(parts);
}
